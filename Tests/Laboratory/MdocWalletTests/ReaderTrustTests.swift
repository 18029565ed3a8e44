import CBOR
import COSE
import Foundation
import MdocModel
import MdocWallet
import OpenSSLCrypto
import PKIX
import RequestPlanner
import Testing
import VectorFiles

@Suite("Whom the wallet answers")
struct ReaderTrustTests {
    /// A reader certified by a root of its own.
    private final class Reader: Sendable {
        let root: Certificate
        let identity: ReaderIdentity

        init() throws {
            let rootKey = try PrivateKey.generate(.p256)
            let key = try PrivateKey.generate(.p256)
            root = try Self.certificate("Root", rootKey.publicKey(), by: "Root", rootKey)
            let leaf = try Self.certificate("Reader", key.publicKey(), by: "Root", rootKey)
            identity = ReaderIdentity(
                name: "counter", key: try COSECertifiedKey(key, chain: CertificateChain([leaf, root])))
        }

        static func certificate(
            _ name: String, _ key: borrowing PublicKey, by issuer: String, _ issuerKey: borrowing PrivateKey
        ) throws -> Certificate {
            let template = CertificateTemplate(
                serialNumber: [1], issuer: DistinguishedName([(.commonName, issuer)]),
                subject: DistinguishedName([(.commonName, name)]), notBefore: 0, notAfter: 1 << 33,
                publicKey: key)
            return try Certificate(der: template.sign(with: issuerKey)[...])
        }
    }

    private let reader: Reader
    private let transcript: SessionTranscript
    private let draft: DeviceRequestDraft

    init() throws {
        reader = try Reader()
        transcript = try Self.transcript()
        let intent = try RequestIntent(parsing: "age over 21; from mdl or av")
        draft = try RequestPlan(intent, keeping: .none).drafts(for: .extendedRequest)[0]
    }

    private static func transcript() throws -> SessionTranscript {
        SessionTranscript(
            deviceEngagement: try randomBytes(30),
            eReaderKey: COSEKeyPair(try PrivateKey.generate(.p256)).publicKeyBytes, handover: .qr)
    }

    private func request(
        _ capabilities: EngagementCapabilities, by identity: ReaderIdentity?
    ) throws -> DeviceRequest {
        try DeviceRequest(draft.encode(for: capabilities, in: transcript, signedBy: identity)[...])
    }

    private static let all: EngagementCapabilities = [.extendedRequest, .readerAuthAll]

    @Test("Q172 What we sign is trusted under our root and unknown under another, in either version")
    func trusted() throws {
        for capabilities in [Self.all, .extendedRequest, []] {
            let request = try request(capabilities, by: reader.identity)
            let count = request.docRequests.count
            let own = ReaderTrust(.alwaysRequire, roots: [reader.root])
            #expect(own.check(request, in: transcript) == .init(repeating: .trusted, count: count))
            #expect(own.allows(request, in: transcript))
            let other = ReaderTrust(.alwaysRequire, roots: [try Reader().root])
            #expect(other.check(request, in: transcript) == .init(repeating: .unknownReader, count: count))
            #expect(!other.allows(request, in: transcript))
        }
    }

    @Test("A signature of another session is none of this one")
    func otherSession() throws {
        let trust = ReaderTrust(.enforceIfPresent, roots: [reader.root])
        for capabilities in [Self.all, []] {
            let request = try request(capabilities, by: reader.identity)
            #expect(try trust.check(request, in: Self.transcript()).allSatisfy { $0 == .signatureWrong })
            #expect(try !trust.allows(request, in: Self.transcript()))
        }
    }

    @Test("A signature over another document is none")
    func otherDocument() throws {
        let items = draft.documents.map { $0.encoded() }
        let swapped = try DeviceRequest(
            DeviceRequest.encode([
                (items: items[0], readerAuth: reader.identity.readerAuth(items[1], in: transcript)),
                (items: items[1], readerAuth: reader.identity.readerAuth(items[1], in: transcript)),
            ])[...])
        let trust = ReaderTrust(.enforceIfPresent, roots: [reader.root])
        #expect(trust.check(swapped, in: transcript) == [.signatureWrong, .trusted])
        #expect(!trust.allows(swapped, in: transcript))
    }

    @Test("Q172 Each policy decides about unsigned requests and unknown readers")
    func policies() throws {
        let unsigned = try request([], by: nil)
        let unknown = try request([], by: Reader().identity)
        let answers = ReaderTrust.Policy.allCases.map { policy in
            let trust = ReaderTrust(policy, roots: [reader.root])
            return [trust.allows(unsigned, in: transcript), trust.allows(unknown, in: transcript)]
        }
        #expect(answers == [[true, true], [true, false], [false, false]])
    }

    @Test("Q171 A chain with its root is refused by wallets that do so, and ours never brings it")
    func sentRoot() throws {
        let key = try PrivateKey.generate(.p256)
        let rootKey = try PrivateKey.generate(.p256)
        let root = try Reader.certificate("R", rootKey.publicKey(), by: "R", rootKey)
        let leaf = try Reader.certificate("L", key.publicKey(), by: "R", rootKey)
        let items = draft.documents[0].encoded()
        let payload = Array(
            readerAuthenticationBytes(transcript: transcript, itemsRequest: items).joined())
        let signature = try COSESigner(algorithm: .es256, x5chain: [leaf.der, root.der]).sign1(
            payload, detached: true, with: key, algorithm: .ecdsa(.sha256))
        let request = try DeviceRequest(
            DeviceRequest.encode([(items: items, readerAuth: signature)])[...])
        var trust = ReaderTrust(.alwaysRequire, roots: [root])
        #expect(trust.check(request, in: transcript) == [.rootSent])
        trust.refusesSentRoots = false
        #expect(trust.check(request, in: transcript) == [.trusted])
    }

    @Test("Annex D's reader is trusted under its root, and not under its issuer's")
    func annexD() throws {
        let embedded = try EncodedCBOR<SessionTranscript>(
            CBORItem.parse(VectorFiles.annexD("sessionTranscriptBytes")[...]))
        let transcript = try SessionTranscript(stored: embedded.content)
        let request = try DeviceRequest(VectorFiles.annexD("deviceRequest")[...])
        for (name, finding) in [
            ("readerRootCertificate", ReaderTrust.Finding.trusted), ("iacaCertificate", .unknownReader),
        ] {
            let trust = ReaderTrust(
                .alwaysRequire, roots: [try Certificate(der: VectorFiles.annexD(name)[...])])
            #expect(trust.check(request, in: transcript) == [finding])
        }
        let trust = ReaderTrust(
            .alwaysRequire, roots: [try Certificate(der: VectorFiles.annexD("readerRootCertificate")[...])])
        #expect(trust.check(request, in: self.transcript) == [.signatureWrong])
    }

    @Test("Certificates that do not sign one another are no chain, though the leaf's key signed")
    func brokenChain() throws {
        let key = try PrivateKey.generate(.p256)
        let leaf = try Reader.certificate("L", key.publicKey(), by: "Root", key)
        let items = draft.documents[0].encoded()
        let payload = Array(
            readerAuthenticationBytes(transcript: transcript, itemsRequest: items).joined())
        let signature = try COSESigner(algorithm: .es256, x5chain: [leaf.der, reader.root.der]).sign1(
            payload, detached: true, with: key, algorithm: .ecdsa(.sha256))
        let request = try DeviceRequest(
            DeviceRequest.encode([(items: items, readerAuth: signature)])[...])
        let trust = ReaderTrust(.alwaysRequire, roots: [reader.root])
        #expect(trust.check(request, in: transcript) == [.chainWrong])
    }
}
