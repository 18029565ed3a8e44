import CBOR
import Foundation
import MdocModel
import MdocSession
import MdocVerification
import OpenSSLCrypto
import Testing
import VectorFiles

/// The repository's corpus, and the shared one where the checkout has it beside it: the same names, judged alike.
@Suite("Corpus of presentations")
struct CorpusTests {
    @Test(
        "The manifest is read, and its files are the ones it was written for",
        arguments: StoredCorpus.presentations)
    func files(_ presentation: StoredPresentation) throws {
        for (file, sha256) in presentation.files {
            #expect(Digest(.sha256, of: try presentation.bytes(file)[...]).bytes.hex == sha256, "\(file)")
        }
    }

    @Test("Each folder has its case, and each bad case has its expectation", arguments: StoredCorpus.all)
    func complete(_ corpus: StoredCorpus) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: corpus.folder.path)
            .filter { !["README.md", "manifest.json"].contains($0) }
        let cases = corpus.presentations
        #expect(Set(cases.map(\.name)) == Set(names) && cases.count == names.count)
        for presentation in cases {
            let files = try FileManager.default.contentsOfDirectory(atPath: presentation.folder.path)
            #expect(Set(files) == Set(presentation.files.keys), "\(presentation)")
        }
        let bad = Set(cases.filter { $0.expect == .reject }.map(\.name))
        #expect(bad == Set(CorpusExpectation.byName.keys).union(CorpusExpectation.tolerated))
    }

    @Test("The repository has its corpus, with the cases of the shared one")
    func own() throws {
        let own = try #require(StoredCorpus.own)
        #expect(StoredCorpus.all.first?.folder == own.folder)
        for corpus in StoredCorpus.all {
            #expect(Set(corpus.presentations.map(\.name)) == Set(own.presentations.map(\.name)))
        }
    }

    @Test(
        "A good presentation is verified under either rules, without deviation",
        arguments: StoredCorpus.presentations.filter { $0.expect == .accept },
        [VerificationRules.interoperable, .strict])
    func accepted(_ presentation: StoredPresentation, rules: VerificationRules) throws {
        guard case .verified(let response) = try presentation.verdict(rules) else {
            Issue.record("rejected: \(presentation.name)")
            return
        }
        #expect(!response.documents.isEmpty)
        for report in response.reports {
            #expect(report.checks.map(\.id) == rules.checks)
            #expect(report.checks.allSatisfy { $0.outcome == .passed })
            #expect(report.deviations.isEmpty)
        }
    }

    @Test(
        "By default and under strict rules, a presentation that breaks a rule is refused with the expected error",
        arguments: StoredCorpus.presentations.filter { CorpusExpectation.byName[$0.name] != nil },
        [VerificationRules.interoperable, .strict])
    func refused(_ presentation: StoredPresentation, rules: VerificationRules) throws {
        let expectation = try #require(CorpusExpectation.byName[presentation.name])
        switch expectation {
        case .session(let isExpected, let terminationStatus):
            guard case .end(let end, let sent) = try presentation.receiveSessionData() else {
                Issue.record("a response was delivered")
                return
            }
            #expect(isExpected(end), "\(end)")
            #expect(sent == terminationStatus.map { SessionData.encode(data: nil, status: $0) })
        case .malformed(let structure, let isExpected):
            let error = #expect(throws: MdocModelError.self) { try presentation.verdict(rules) }
            guard case .malformed(structure, let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(isExpected(reason), "\(reason)")
        case .response(let failure):
            let rejected = try rejection(presentation, rules)
            #expect(rejected.failures == [failure])
            #expect(rejected.reports.allSatisfy { $0.checks.allSatisfy { $0.outcome == .passed } })
        case .checks(let expected):
            let rejected = try rejection(presentation, rules)
            #expect(rejected.failures.isEmpty)
            let failed = rejected.reports.flatMap(\.checks).compactMap { check -> (CheckID, CheckFailure)? in
                if case .failed(let failure) = check.outcome { (check.id, failure) } else { nil }
            }
            // What breaks a rule may depart from the profile too, which strict rules refuse on their own.
            let reasons = failed.filter { rules == .interoperable || !$0.1.isDeviation }
            #expect(Set(reasons.map(\.0)) == Set(expected.keys), "\(failed)")
            for (id, failure) in reasons { #expect(expected[id]?(failure) == true, "\(id): \(failure)") }
        }
    }

    private func rejection(
        _ presentation: StoredPresentation, _ rules: VerificationRules
    ) throws -> RejectedResponse {
        guard case .rejected(let rejected) = try presentation.verdict(rules) else {
            throw FalselyVerified(name: presentation.name)
        }
        return rejected
    }

    struct FalselyVerified: Error { let name: String }

    @Test(
        "A harmless departure from the profile is verified, listed under its rule's id, and refused when strict",
        arguments: StoredCorpus.presentations.filter { CorpusExpectation.tolerated.contains($0.name) })
    func tolerated(_ presentation: StoredPresentation) throws {
        let deviation = try #require(Deviation(rawValue: presentation.name))
        guard case .verified(let response) = try presentation.verdict(.interoperable) else {
            Issue.record("rejected: \(presentation.name)")
            return
        }
        #expect(response.reports.map(\.deviations) == [[deviation]])
        let rejected = try rejection(presentation, .strict)
        let failures = rejected.reports.flatMap(\.checks).map(\.outcome).filter {
            $0 != .passed && $0 != .skipped
        }
        #expect(failures == [.failed(.deviations([deviation]))])
    }

    @Test("Every profile rule is refused by one of the two tests above")
    func profile() {
        let names = StoredCorpus.presentations.filter { $0.level == .profile && $0.expect == .reject }.map(
            \.name)
        #expect(!names.isEmpty)
        for name in names {
            #expect(CorpusExpectation.byName[name] != nil || CorpusExpectation.tolerated.contains(name))
        }
    }

    @Test("Q169 Every check has a presentation that it alone refuses, and so has the response itself")
    func everyCheck() {
        let checks = CorpusExpectation.byName.values.compactMap { expectation -> CheckID? in
            if case .checks(let expected) = expectation, expected.count == 1 {
                expected.keys.first
            } else {
                nil
            }
        }
        // An MSO that cannot be read takes the signature's proof with it, its version alone does not.
        // No list comes with these presentations, so none is revoked.
        #expect(Set(checks) == Set(VerificationRules.interoperable.checks).subtracting([.revocation]))
        let failures = CorpusExpectation.byName.values.compactMap { expectation -> ResponseFailure? in
            if case .response(let failure) = expectation { failure } else { nil }
        }
        #expect(
            Set(failures).union([.statusNotOK, .documentsNotVerifiable, .documentsEncrypted])
                == Set(ResponseFailure.allCases))
    }

    @Test("Ages are answered by the nearest attestation", arguments: Self.ageQuestions)
    func ages(_ presentation: StoredPresentation, years: Int, answer: AgeAnswer) throws {
        guard case .verified(let response) = try presentation.verdict(.interoperable) else {
            Issue.record("rejected: \(presentation)")
            return
        }
        #expect(response.documents.map { $0.isAgeAtLeast(years) } == [answer])
    }

    private static func age(_ years: Int) -> ElementName {
        ElementName(nameSpace: "org.iso.18013.5.1", identifier: "age_over_\(years)")
    }

    private static var ageQuestions: [(StoredPresentation, Int, AgeAnswer)] {
        let plain = StoredCorpus.presentations.filter { $0.expect == .accept && $0.asksForAge(21) }
        let others: [(String, Int, AgeAnswer)] = [
            ("ok.signature", 65, .cannotTell(.noneApplies)),
            ("ok.age_nearest_above", 20, .yes(by: age(21))),
            ("ok.age_nearest_above", 22, .cannotTell(.noneApplies)),
            ("ok.age_nearest_below", 68, .no(by: age(65))),
            ("ok.age_nearest_below", 64, .cannotTell(.noneApplies)),
            ("ok.element_missing", 18, .cannotTell(.noAttestation)),
        ]
        return plain.flatMap { [($0, 18, .yes(by: age(18))), ($0, 21, .yes(by: age(21)))] }
            + others.flatMap { name, years, answer in
                StoredCorpus.presentations(named: name).map { ($0, years, answer) }
            }
    }

    @Test(
        "An element that was not returned is reported with its code",
        arguments: StoredCorpus.presentations(named: "ok.element_missing"))
    func elementNotReturned(_ presentation: StoredPresentation) throws {
        guard case .verified(let response) = try presentation.verdict(.strict) else { throw NotDelivered() }
        let eyes = ElementName(nameSpace: "org.iso.18013.5.1", identifier: "eye_colour")
        #expect(response.notReturned == [.element(docType: "org.iso.18013.5.1.mDL", eyes, code: 0)])
    }

    @Test(
        "A document that was not returned is reported with its code",
        arguments: StoredCorpus.presentations(named: "ok.document_error"))
    func documentNotReturned(_ presentation: StoredPresentation) throws {
        guard case .verified(let response) = try presentation.verdict(.strict) else { throw NotDelivered() }
        #expect(response.notReturned == [.document(docType: "eu.europa.ec.eudi.pid.1", code: 0)])
    }

    @Test(
        "Q44 The transcript is rebuilt, and the message decrypts to the stored response",
        arguments: StoredCorpus.presentations.filter { $0.layer == .response })
    func decrypts(_ presentation: StoredPresentation) throws {
        guard case .deliver(let response, let isEnded) = try presentation.receiveSessionData() else {
            Issue.record("not delivered: \(presentation.name)")
            return
        }
        #expect(try response == presentation.bytes("device_response.cbor"))
        #expect(!isEnded)
    }

    @Test(
        "Data that comes together with status 20 is delivered, and ends the session",
        arguments: StoredCorpus.presentations(named: "ok.session_data_and_20"))
    func dataAndStatus(_ presentation: StoredPresentation) throws {
        guard case .deliver(_, isEnded: true) = try presentation.receiveSessionData() else {
            Issue.record("the session did not end")
            return
        }
    }

    @Test("The holder's side opens the stored request", arguments: StoredCorpus.presentations)
    func request(_ presentation: StoredPresentation) throws {
        var session = HolderSession(
            deviceEngagement: try presentation.bytes("device_engagement.cbor"),
            handover: try presentation.readHandover(),
            eDeviceKey: try presentation.keyPair(presentation.eDeviceKeyPrivate))
        let establishment = try presentation.bytes("session_establishment.cbor")
        guard case .request(let request) = try session.receive(establishment[...]) else {
            Issue.record("no request")
            return
        }
        #expect(try request == presentation.bytes("device_request.cbor"))
        let asked = try DeviceRequest(request[...]).docRequests.map(\.itemsRequest)
        #expect(asked.map(\.docType) == presentation.requests.map(\.docType))
        for (items, expected) in zip(asked, presentation.requests) {
            let elements = items.nameSpaces.map { space in
                (
                    space.name,
                    Dictionary(
                        uniqueKeysWithValues: space.elements.map { ($0.identifier, $0.intentToRetain) })
                )
            }
            #expect(Dictionary(uniqueKeysWithValues: elements) == expected.nameSpaces)
        }
    }

    @Test(
        "The QR text holds the stored engagement",
        arguments: StoredCorpus.presentations.filter { $0.qr != nil })
    func qr(_ presentation: StoredPresentation) throws {
        let text = try #require(presentation.qr)
        #expect(try EngagementURI.deviceEngagement(in: text) == presentation.bytes("device_engagement.cbor"))
    }
}
