import Foundation
import MdocModel
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderTokens
import Testing

@testable import TapToPresent

@Suite("Sessions and their rules")
struct SessionTests {
    private static let data = MobileDriversLicenseDataRequest(nonRetainedElements: [.familyName])

    @Test("Preparing again gives the session there is, while it is held and valid")
    func sameSession() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        var session: MobileDocumentReaderSession? = try await stage.prepared()
        let first = session.map(ObjectIdentifier.init)
        #expect(ObjectIdentifier(try await stage.prepared()) == first)
        // The twins: another token, the token's time, and letting go each make a new one.
        #expect(ObjectIdentifier(try await stage.reader.prepare()) != first)
        let again = try await stage.prepared()
        stage.clock.advance(bySeconds: TapStage.life)
        let later = try await stage.prepared()
        #expect(again !== later)
        weak let released = session
        session = nil
        #expect(released == nil)
    }

    @Test("Elements are refused where revocation is not known, unless the app says otherwise; an age is not")
    func revocationByPurpose() async throws {
        let strict = try TapStage(setup: { $0.revocation = MobileDocumentReader.Setup().revocation })
        defer { strict.clean() }
        await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await strict.prepared().requestDocument(Self.data)
        }
        let age = MobileDriversLicenseDataRequest(nonRetainedElements: [.ageAtLeast(21)])
        try await strict.prepared().requestDocument(age)
        let lenient = try TapStage()
        defer { lenient.clean() }
        try await lenient.prepared().requestDocument(Self.data)
        let strictest = try TapStage(setup: { $0.revocation = [:] })
        defer { strictest.clean() }
        await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await strictest.prepared().requestDocument(age)
        }
    }

    @Test("A policy that accepts no more than the setup's is taken, and one that accepts more asks nobody")
    func namedPolicy() async throws {
        let age = MobileDriversLicenseDataRequest(nonRetainedElements: [.ageAtLeast(21)])
        let stage = try TapStage(setup: { $0.revocation = MobileDocumentReader.Setup().revocation })
        defer { stage.clean() }
        // Nothing is known of revocation here: the stricter policy refuses the answer.
        await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await stage.prepared().requestDocument(age, policy: .rental)
        }
        try await stage.prepared().requestDocument(age, policy: .age)
        let asked = try stage.log.all.count
        for policy in [MobileDocumentReader.Setup.Revocation.age, .rental(staleDays: 1)] {
            let error = await #expect(throws: MobileDocumentReaderError.notAllowed) {
                try await stage.prepared().requestDocument(Self.data, policy: policy)
            }
            #expect(error?.reason == .policyAcceptsMore)
        }
        #expect(try stage.log.all.count == asked)
        let strict = try TapStage(setup: {
            $0.revocation = MobileDocumentReader.Setup().revocation
            $0.policy = .rental(staleDays: 0)
        })
        defer { strict.clean() }
        await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await strict.prepared().requestDocument(age)
        }
        await #expect(throws: MobileDocumentReaderError.notAllowed) {
            try await strict.prepared().requestDocument(age, policy: .age)
        }
        let lax = try TapStage(setup: {
            $0.revocation = MobileDocumentReader.Setup().revocation
            $0.policy = .age
        })
        defer { lax.clean() }
        try await lax.prepared().requestDocument(age)
        await #expect(throws: MobileDocumentReaderError.notAllowed) {
            try await lax.prepared().requestDocument(Self.data)
        }
    }

    @Test("A session without a token stays valid")
    func withoutToken() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let session = try await stage.reader.prepare()
        stage.clock.advance(bySeconds: 100 * 3600)
        #expect(try await stage.reader.prepare() === session)
    }

    @Test("After its time a session asks nobody, and the reader is free")
    func expired() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let session = try await stage.prepared()
        stage.clock.advance(bySeconds: TapStage.life - 1)
        try await session.requestDocument(Self.data)
        stage.clock.advance(bySeconds: 1)
        await #expect(throws: MobileDocumentReaderError.sessionExpired) {
            try await session.requestDocument(Self.data)
        }
        #expect(try stage.log.all.count == 1)
        try await stage.prepared().requestDocument(Self.data)
    }

    @Test("A key that is revoked ends what its token prepared")
    func revoked() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let token = try await stage.token()
        let session = try await stage.reader.prepare(using: token)
        try await session.requestDocument(Self.data)
        let kid = try #require(TokenText("key-1"))
        _ = try BrandFolder(store: stage.folder).change { registry throws(BrandFault) in
            try registry.revoke(kid)
        }
        let error = await #expect(throws: MobileDocumentReaderError.invalidToken) {
            try await session.requestDocument(Self.data)
        }
        #expect(error?.reason == .tokenRefused(id: "token.key_revoked"))
        await #expect(throws: MobileDocumentReaderError.invalidToken) {
            try await stage.reader.prepare(using: token)
        }
        #expect(try stage.log.all.count == 1)
    }

    @Test("An app gets elements only in a session that was prepared with a token")
    func tokenRequired() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let session = try await stage.reader.prepare()
        var anyOf = MobileDocumentAnyOfDataRequest()
        anyOf.addRequest(Self.data)
        var anyRaw = MobileDocumentAnyOfRawDataRequest()
        anyRaw.addRequest(MobilePhotoIDRawDataRequest(nonRetainedElements: [.sex]))
        let requests: [any MobileDocumentRequest] = [
            Self.data, MobileDriversLicenseRawDataRequest(nonRetainedElements: [.sex]),
            MobilePhotoIDDataRequest(nonRetainedElements: [.sex]),
            MobilePhotoIDRawDataRequest(nonRetainedElements: [.sex]), anyOf, anyRaw,
        ]
        for request in requests {
            let error = await #expect(throws: MobileDocumentReaderError.notAllowed) {
                _ = try await session.requestDocument(request)
            }
            #expect(error?.reason == .tokenRequired)
        }
        #expect(try stage.log.all.isEmpty)
    }

    @Test("A token that is not believed prepares nothing, and is told why")
    func tokenRefused() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let (other, audience) = (try TapStage(), try #require(TokenText("another")))
        defer { other.clean() }
        // Nobody has told this reader of a brand yet.
        let unknown = await #expect(throws: MobileDocumentReaderError.invalidToken) {
            try await stage.reader.prepare(using: other.newToken())
        }
        #expect(unknown?.reason == .tokenRefused(id: "token.key_unknown"))
        for (token, id) in [
            (.init("another"), "token.malformed"),
            (
                try await stage.newToken(for: ReaderInstance(String(repeating: "0", count: 32))),
                "token.instance"
            ),
            (try await stage.newToken(audience: audience), "token.audience"),
        ] as [(MobileDocumentReader.Token, String)] {
            let error = await #expect(throws: MobileDocumentReaderError.invalidToken) {
                try await stage.reader.prepare(using: token)
            }
            #expect(error?.reason == .tokenRefused(id: id))
        }
        let late = try await stage.newToken()
        stage.clock.advance(bySeconds: 300)
        let error = await #expect(throws: MobileDocumentReaderError.invalidToken) {
            try await stage.reader.prepare(using: late)
        }
        #expect(error?.reason == .tokenRefused(id: "token.expired"))
    }

    @Test("A token prepares for 48 hours from its first use, whatever its own end, and no longer")
    func reuse() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let token = try await stage.newToken()
        try await stage.reader.prepare(using: token).requestDocument(Self.data)
        stage.clock.advance(bySeconds: TapStage.life - 1)
        try await stage.reader.prepare(using: token).requestDocument(Self.data)
        stage.clock.advance(bySeconds: 1)
        await #expect(throws: MobileDocumentReaderError.sessionExpired) {
            try await stage.reader.prepare(using: token)
        }
    }

    @Test("One read at a time: the second is reported, and the first goes on")
    func oneAtATime() async throws {
        let stage = try TapStage(isPresent: false)
        defer { stage.clean() }
        let session = try await stage.prepared()
        var events = stage.reader.events.makeAsyncIterator()
        let first = Task { try await session.requestDocument(Self.data) }
        #expect(await events.next() == .armed)
        let error = await #expect(throws: MobileDocumentReaderError.systemBusy) {
            try await session.requestDocument(Self.data)
        }
        #expect(error?.reason == .readInProgress)
        first.cancel()
        await #expect(throws: MobileDocumentReaderError.cancelled) { try await first.value }
        #expect(await events.next() == .done(.cancelled))
        // Free again.
        let next = Task { try await session.requestDocument(Self.data) }
        #expect(await events.next() == .armed)
        next.cancel()
        _ = await next.result
    }

    @Test("Cancelling the task while the holder decides ends the transaction")
    func cancellation() async throws {
        let stage = try TapStage { $0.consentTime = .seconds(60) }
        defer { stage.clean() }
        let session = try await stage.prepared()
        var events = stage.reader.events.makeAsyncIterator()
        let task = Task { try await session.requestDocument(Self.data) }
        while let event = await events.next(), event != .awaitingConsent {
            if case .done = event { break }
        }
        task.cancel()
        let error = await #expect(throws: MobileDocumentReaderError.cancelled) { try await task.value }
        #expect(error?.reason == .taskCancelled)
    }

    @Test("A task that is cancelled already asks nobody")
    func cancelledBefore() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let session = try await stage.prepared()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await session.requestDocument(Self.data)
        }
        await #expect(throws: MobileDocumentReaderError.cancelled) { try await task.value }
        #expect(try stage.log.all.isEmpty)
    }

    @Test("A session serves many requests, one after the other")
    func many() async throws {
        let stage = try TapStage()
        defer { stage.clean() }
        let session = try await stage.prepared()
        let age = try await session.requestDocument(
            .driversLicenseData(notRetaining: [.ageAtLeast(21)]))
        #expect(age.documentElements.ageAtLeastElements == [21: true])
        let licence = try await session.requestDocument(
            .driversLicenseData(retaining: [.documentNumber], notRetaining: [.portrait]))
        #expect(licence.documentElements.documentNumber == "UT-7700423519")
        #expect(
            try stage.log.all.lastAsked == [
                "org.iso.18013.5.1/document_number": true, "org.iso.18013.5.1/portrait": false,
            ])
    }

    @Test("The reader instance has a name that stays")
    func instance() async throws {
        let (one, other) = (try TapStage(), try TapStage())
        defer {
            one.clean()
            other.clean()
        }
        let name = try await one.reader.configuration.readerInstanceIdentifier
        #expect(name.count == 32)
        #expect(try await one.reader.configuration.readerInstanceIdentifier == name)
        #expect(try await other.reader.configuration.readerInstanceIdentifier != name)
        // The twin: a store that others may change names nobody.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: one.folder)
        let error = await #expect(throws: MobileDocumentReaderError.serviceUnavailable) {
            try await one.reader.configuration
        }
        #expect(error?.reason == .storeUnavailable(id: "store.exposed"))
    }

    // MARK: Raw and any of

    @Test(
        "A raw answer verifies elsewhere, with a signature and with a MAC",
        arguments: Holder.DeviceAuthentication.allCases)
    func raw(_ proof: Holder.DeviceAuthentication) async throws {
        let stage = try TapStage { $0.holder.deviceAuthentication = proof }
        defer { stage.clean() }
        let response = try await stage.prepared().requestDocument(
            .driversLicenseRawData(retaining: [.documentNumber]))
        #expect(try RawVerification(response, root: stage.issuer.root).isVerified)
        #expect(response.ephemeralReaderKey.count == 32)
        #expect(!"\(response)".contains("7700423519"))
        // The twin: with another key a MAC does not verify.
        let other = try RawVerification(
            response, root: stage.issuer.root, key: [UInt8](repeating: 7, count: 32))
        #expect(other.isVerified == (proof == .signature))
    }

    @Test("A raw answer comes also from an issuer that nobody here trusts: it is for others to judge")
    func rawUntrusted() async throws {
        let stage = try TapStage(trusting: false)
        defer { stage.clean() }
        let session = try await stage.prepared()
        let response = try await session.requestDocument(.driversLicenseRawData(notRetaining: [.sex]))
        #expect(try RawVerification(response, root: stage.issuer.root).isVerified)
        // The twin: verified data does not.
        let error = await #expect(throws: MobileDocumentReaderError.invalidResponse) {
            try await session.requestDocument(Self.data)
        }
        guard case .rejected(let verdict) = error?.reason else {
            Issue.record("\(String(describing: error?.reason))")
            return
        }
        #expect(verdict.failures.contains("issuer_certificate"))
    }

    @Test(
        "Of several documents the one that the holder has comes, as its own response",
        arguments: [false, true])
    func anyOf(_ isExtended: Bool) async throws {
        var request = MobileDocumentAnyOfDataRequest()
        request.addRequest(.photoIDData(notRetaining: [.documentNumber]))
        request.addRequest(.driversLicenseData(notRetaining: [.documentNumber]))
        for kind in [TestDocumentKind.drivingLicence, .photoID] {
            let stage = try TapStage([kind.document(for: TestLicence(), on: TapStage.now.dayInUTC)]) {
                if isExtended {
                    $0.profile.extraEngagementMembers = WalletProfile.apple.extraEngagementMembers
                }
            }
            defer { stage.clean() }
            let response = try await stage.prepared().requestDocument(request).documentResponse
            switch response {
            case let licence as MobileDriversLicenseDataRequest.Response:
                #expect(kind == .drivingLicence)
                #expect(licence.documentElements.documentNumber == "UT-7700423519")
            case let photoID as MobilePhotoIDDataRequest.Response:
                #expect(kind == .photoID)
                #expect(photoID.documentElements.documentNumber == "UT-7700423519")
            default: Issue.record("another response")
            }
        }
    }

    @Test("The raw answer of whichever document came verifies elsewhere")
    func anyOfRaw() async throws {
        var request = MobileDocumentAnyOfRawDataRequest()
        request.addRequest(.photoIDRawData(notRetaining: [.documentNumber]))
        request.addRequest(.driversLicenseRawData(notRetaining: [.documentNumber]))
        let stage = try TapStage()
        defer { stage.clean() }
        let response = try await stage.prepared().requestDocument(request)
        #expect(try RawVerification(response, root: stage.issuer.root).isVerified)
    }

    @Test("Requests are equal by what they ask")
    func equality() {
        var one = MobileDocumentAnyOfDataRequest()
        one.addRequest(Self.data)
        var other = MobileDocumentAnyOfDataRequest()
        other.addRequest(Self.data)
        #expect(one == other && one.hashValue == other.hashValue)
        other.addRequest(.photoIDData(notRetaining: [.sex]))
        #expect(one != other)
    }
}
