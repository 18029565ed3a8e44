import CBOR
import COSE
import MdocModel
import MdocTrust

import OpenSSLCrypto
import Testing
import VectorFiles

@testable import MdocVerification

/// ISO/IEC 18013-5 Annex D.4.1.2: the whole response, judged.
@Suite("Annex D, verification")
struct AnnexDVerificationTests {
    let annex: AnnexD

    init() throws {
        annex = try AnnexD.load()
    }

    private func context(
        at now: String = "2020-12-24T12:00:00Z", transcript: SessionTranscript? = nil,
        readerKey: COSEKeyPair?? = .none, anchor: String = "iacaCertificate",
        comparison: RequestComparison? = nil, rules: VerificationRules = .interoperable
    ) throws -> VerificationContext {
        let request = try DeviceRequest(annex("deviceRequest")[...])
        return VerificationContext(
            transcript: try transcript ?? annex.transcript(),
            comparison: comparison ?? .requested(request.docRequests.map(\.itemsRequest)),
            readerKey: try readerKey ?? annex.key("eReaderKey"),
            trust: TrustStore(anchors: [try TrustAnchor(annex.certificate(anchor))]),
            now: try #require(DateText(now.utf8)).instant, policy: VerificationPolicy(rules: rules))
    }

    private func failures(_ context: VerificationContext) throws -> [CheckID: CheckReport.Finding] {
        switch try UnverifiedResponse(annex("deviceResponse")[...]).verify(in: context) {
        case .verified: return [:]
        case .rejected(let rejected):
            #expect(rejected.failures.isEmpty)
            // Nothing is asked about revocation where signer or signature are not believed.
            let failed = rejected.reports.flatMap(\.checks).filter {
                $0.outcome != .passed && $0 != CheckReport(id: .revocation, outcome: .skipped)
            }
            return Dictionary(uniqueKeysWithValues: failed.map { ($0.id, $0.outcome) })
        }
    }

    @Test("The published privileges answer who may drive what on which day")
    func driving() throws {
        guard
            case .verified(let response) = try UnverifiedResponse(annex("deviceResponse")[...]).verify(
                in: context()
            ),
            let document = response.documents.first
        else {
            Issue.record("rejected")
            return
        }
        let day = { (text: String) in try #require(DateText(text.utf8)).day }
        let last = try day("2024-10-20")
        for (category, first, eve) in [("A", "2018-08-09", "2018-08-08"), ("B", "2017-02-23", "2017-02-22")] {
            let answer = { document.mayDrive(.category(category), on: try day($0)) }
            #expect(try answer(first) == .yes(until: last, restrictions: []))
            #expect(try answer("2024-10-20") == .yes(until: last, restrictions: []))
            #expect(try answer("2024-10-21") == .no(.documentExpired(on: last)))
            #expect(try answer(eve) == .no(.notYet(from: day(first))))
        }
        #expect(document.mayDrive(.category("C"), on: last) == .no(.notGranted))
        #expect(document.mayDrive(.domesticClass("C"), on: last) == .cannotTell(.notReturned))
    }

    @Test("The response is verified; its one deviation is the signer's CRL distribution point without URI")
    func verified() throws {
        let verdict = try UnverifiedResponse(annex("deviceResponse")[...]).verify(in: context())
        guard case .verified(let response) = verdict, let document = response.documents.first else {
            Issue.record("rejected")
            return
        }
        #expect(response.documents.count == 1)
        #expect(response.reports.map(\.deviations) == [[.dsDistributionPoint]])
        #expect(response.notReturned.isEmpty)
        #expect(document.docType == "org.iso.18013.5.1.mDL")
        #expect(document.deviceBinding == .mac)
        #expect(
            document.elements.map(\.name.identifier) == [
                "family_name", "issue_date", "expiry_date", "document_number", "portrait",
                "driving_privileges",
            ])
        #expect(try document.elements.first?.value.text() == "Doe")
        #expect(document.isCurrent == .yes)
        #expect(document.isAgeAtLeast(18) == .cannotTell(.noAttestation))
        #expect(document.issuer.country == "US")
        #expect(document.issuer.state == nil)
        #expect(document.issuer.dsSubject == "C=US,CN=utopia ds")
        #expect(document.issuer.anchorSubject == "C=US,CN=utopia iaca")
        #expect(document.issuer.dsSerial.hex == "3c4416eed784f3b413e48f56f075abfa6d87eb84")
        let anchor = try annex("iacaCertificate")
        #expect(document.issuer.anchorSHA256 == Digest(.sha256, of: anchor[...]).bytes)
    }

    @Test("Strict rules refuse the signer's certificate for that deviation, and nothing else")
    func strict() throws {
        #expect(
            try failures(context(rules: .strict)) == [
                .profile: .failed(.deviations([.dsDistributionPoint]))
            ])
    }

    @Test("Q152 Without the reader's key the MAC is undetermined, with another it is wrong")
    func readerKey() throws {
        #expect(
            try failures(context(readerKey: .some(nil)))
                == [.deviceAuthentication: .undetermined(.readerKeyNeeded(.ephemeral))])
        #expect(
            try failures(context(readerKey: annex.key("eDeviceKey")))
                == [.deviceAuthentication: .failed(.cose(.signatureInvalid))])
        let other = COSEKeyPair(try PrivateKey.generate(.p384))
        #expect(
            try failures(context(readerKey: other)) == [
                .deviceAuthentication: .failed(.readerKeyOnOtherCurve)
            ])
    }

    @Test("Q197 Over another session's transcript the MAC is wrong")
    func otherSession() throws {
        let other = SessionTranscript(
            deviceEngagement: try annex.engagement(), eReaderKey: try annex.key("eReaderKey").publicKeyBytes,
            handover: .qr)
        #expect(
            try failures(context(transcript: other))
                == [.deviceAuthentication: .failed(.cose(.signatureInvalid))])
    }

    @Test(
        "Before and after its validity it is refused by name, at the second",
        arguments: [
            ("2020-09-30T23:59:59Z", [CheckID.issuerCertificate, .validity]),
            ("2020-10-01T13:29:01Z", [.validity]),
            ("2020-10-01T13:29:02Z", []),
            ("2021-10-01T00:00:00Z", []),
            ("2021-10-01T00:00:01Z", [.issuerCertificate]),
            ("2021-10-01T13:31:02Z", [.issuerCertificate]),
            ("2021-10-01T13:31:03Z", [.issuerCertificate, .validity]),
        ])
    func validity(_ now: String, _ expected: [CheckID]) throws {
        #expect(try Set(failures(context(at: now)).keys) == Set(expected))
    }

    @Test("With the reader's root as the only anchor the issuer is not found")
    func otherAnchor() throws {
        #expect(
            try failures(context(anchor: "readerRootCertificate")) == [
                .issuerCertificate: .failed(
                    .issuerCertificate(.anchorNotFound(issuer: "C=US,CN=utopia iaca")))
            ])
    }

    @Test("Offline, without the request, it is verified and nothing is withheld")
    func notCompared() throws {
        #expect(try failures(context(comparison: .notCompared)).isEmpty)
    }

    @Test("Compared with another document type it is refused")
    func otherRequest() throws {
        let other = RequestComparison.requested([
            ItemsRequest(docType: "org.iso.23220.photoid.1", nameSpaces: [])
        ])
        #expect(try failures(context(comparison: other)) == [.requestMatch: .failed(.docTypeNotRequested)])
    }

    @Test(
        "If one bit of an item changes, the digest check fails and names the item",
        arguments: [
            "family_name", "issue_date", "expiry_date", "document_number", "portrait", "driving_privileges",
        ])
    func changedItem(_ identifier: String) throws {
        var response = try annex("deviceResponse")
        let item = try #require(
            try UnverifiedResponse(response[...]).documents.first?.nameSpaces.flatMap(\.items)
                .first { $0.identifier == identifier })
        response[item.random.endIndex - 1] ^= 1
        guard
            case .rejected(let rejected) = try UnverifiedResponse(response[...]).verify(in: context())
        else {
            Issue.record("verified")
            return
        }
        let failed = rejected.reports.flatMap(\.checks).filter { $0.outcome != .passed }
        let name = ElementName(nameSpace: "org.iso.18013.5.1", identifier: identifier)
        #expect(failed == [CheckReport(id: .digests, outcome: .failed(.digestMismatch(name)))])
    }
}
