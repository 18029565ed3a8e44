import COSE
import MdocModel
import MdocTrust
import MdocVerification
import MdocWallet
import OpenSSLCrypto
import PKIX
import OtherPrograms
import ReaderService
import RequestPlanner
import Testing
import Transport

/// What a phone was asked in a whole transaction, checked by another implementation.
@Suite("Reader authentication of a transaction, by others")
struct TransactionAuthenticationTests {
    private static let now = Timestamp(secondsSince1970: 1_793_534_400)

    /// What the phone saw of one session.
    private struct Seen {
        let requests: [[UInt8]]
        let transcript: SessionTranscript
    }

    private let root: Certificate
    private let identity: ReaderIdentity

    init() throws {
        let rootKey = try PrivateKey.generate(.p384)
        let key = try PrivateKey.generate(.p256)
        root = try Self.certificate("Reader root", rootKey.publicKey(), rootKey)
        let leaf = try Self.certificate("Counter 1", key.publicKey(), rootKey)
        identity = ReaderIdentity(
            name: "counter", key: try COSECertifiedKey(key, chain: CertificateChain([leaf, root])))
    }

    private static func certificate(
        _ name: String, _ key: borrowing PublicKey, _ issuerKey: borrowing PrivateKey
    ) throws -> Certificate {
        let template = CertificateTemplate(
            serialNumber: [1], issuer: DistinguishedName([(.commonName, "Reader root")]),
            subject: DistinguishedName([(.commonName, name)]), notBefore: 1_700_000_000,
            notAfter: 1_800_000_000, publicKey: key)
        return try Certificate(der: template.sign(with: issuerKey)[...])
    }

    /// Asks a phone of this behaviour that holds an age card.
    private func ask(_ profile: WalletProfile) async throws -> Seen {
        let presented = try PresentedWallet(
            PresentationCase("asked") {
                $0.profile = profile
                $0.documents = [.ageVerification]
            }, at: Self.now)
        let plan = try RequestPlan(RequestIntent(parsing: "age over 18; from mdl or av"), keeping: .none)
        let question = PresentationQuestion(
            .planned(plan), identities: ReaderIdentityChoice([.init(identity: identity)]))
        let trust = TrustStore(anchors: [try TrustAnchor(Certificate(der: presented.issuer.root[...]))])
        let transaction = ReaderTransaction(
            PresentationPlan(
                question: question, trust: trust, policy: VerificationPolicy(), clock: WallClock { Self.now })
        )
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task {
            await Self.serve(
                try WalletBenchLink(presented.wallet, handover: .qr, now: .now), over: holder)
        }
        let presentation = await transaction.run(over: reader)
        let seen = try #require(try await phone.value)
        guard case .success(.verified) = presentation.result else {
            Issue.record("\(presentation.result)")
            return seen
        }
        #expect(presentation.request?.bytes == seen.requests.last)
        return seen
    }

    private static func serve(_ link: consuming WalletBenchLink, over channel: InMemoryChannel) async -> Seen?
    {
        var requests: [[UInt8]] = []
        try? await channel.send(link.greeting)
        while let message = try? await channel.receive() {
            guard case .send(let answer, _) = link.session.receive(message[...]) else { break }
            if let request = link.session.deviceRequest { requests.append(request) }
            try? await channel.send(answer)
        }
        await channel.close()
        return link.session.transcript.map { Seen(requests: requests, transcript: $0) }
    }

    private func check(_ request: [UInt8], count: Int, in seen: Seen) throws -> Int32 {
        let folder = try ScriptFolder([
            "request.cbor": request, "transcript.cbor": Array(seen.transcript.encoded),
            "root.der": Array(root.der), "count": Array("\(count)".utf8),
        ])
        return try withExtendedLifetime(folder) {
            let outcome = try PythonCryptography.run(readerAuthenticationScript, folder.path)
            if outcome.status > 1 { Issue.record("\(outcome.errors)") }
            return outcome.status
        }
    }

    @Test(
        "Q168 Python's cryptography verifies every request that a wallet got in one session, and in that one alone",
        .enabled(if: PythonCryptography.isThere, "\(PythonCryptography.missing)"))
    func everyRequest() async throws {
        let plain = try await ask(.generic)
        #expect(plain.requests.count == 2)
        for request in plain.requests { #expect(try check(request, count: 1, in: plain) == 0) }
        let extended = try await ask(.apple)
        #expect(extended.requests.count == 1)
        #expect(try DeviceRequest(extended.requests[0][...]).readerAuthAll.count == 1)
        #expect(try check(extended.requests[0], count: 1, in: extended) == 0)
        #expect(try check(extended.requests[0], count: 1, in: plain) == 1)
        #expect(try check(plain.requests[0], count: 1, in: extended) == 1)
    }
}
