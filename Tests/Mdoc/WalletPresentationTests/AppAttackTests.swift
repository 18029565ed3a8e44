import COSE
import MdocModel
import MdocVerification
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import WalletPresentation

/// One way to come with something else than a good answer, and the name of what must refuse it.
struct Attack<Presented>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let make: @Sendable (inout Shop) throws -> Presented

    init(_ name: String, _ reason: String, _ make: @escaping @Sendable (inout Shop) throws -> Presented) {
        testDescription = name
        self.reason = reason
        self.make = make
    }
}

@Suite("Through an app")
struct AppAttackTests {
    @Test("A good answer is verified, also with members that nobody knows, and by an old key")
    func good() throws {
        let shop = try Shop()
        var envelope = try shop.envelope()
        #expect(try shop.judge(envelope) == "verified")
        envelope.moreMembers = [("note", Encoded.text("x"))]
        #expect(try shop.judge(envelope) == "verified")
        let opened = try WalletEnvelope(envelope.encoded[...]).open(
            with: [Shop.recipientKey(), shop.key], as: shop.merchant,
            answering: SpentNonce.acceptingReplays(of: shop.nonce))
        guard case .verified(let verified) = opened.verify(in: shop.context) else {
            Issue.record("not verified")
            return
        }
        #expect(verified.response.documents.map(\.docType) == [TestDocument.mDL])
        #expect(!verified.isReplayChecked && verified.ageStandIns.isEmpty)
    }

    static let attacks: [Attack<EnvelopeParts>] = [
        Attack("a hash of another key", "presentation.recipient_key") { shop in
            try shop.changed { $0.recipientKeyHash[0] ^= 1 }
        },
        Attack("sealed for another key that it names", "presentation.recipient_key") { shop in
            try shop.envelope(to: Shop.recipientKey())
        },
        Attack("sealed for another key under the name of ours", "presentation.not_opened") { shop in
            var envelope = try shop.envelope(to: Shop.recipientKey())
            envelope.recipientKeyHash = shop.key.hash
            return envelope
        },
        Attack("a hash of another info", "presentation.info_hash") { shop in
            try shop.changed { $0.infoHash[31] ^= 1 }
        },
        Attack("another info under the hash of ours", "presentation.not_opened") { shop in
            var envelope = try shop.envelope(in: shop.transcript(shop.otherMerchant))
            envelope.infoHash = Digest(.sha256, of: shop.transcript().encoded).bytes
            return envelope
        },
        Attack("for another merchant of ours", "presentation.other_merchant") { shop in
            try shop.envelope(in: shop.transcript(shop.otherMerchant))
        },
        Attack("for another merchant of the same team", "presentation.other_merchant") { shop in
            let other = try Shop.merchant(
                shop.otherMerchant.merchantIdentifier, shop.merchant.teamIdentifier)
            return try shop.envelope(in: shop.transcript(other))
        },
        Attack("for another team of the same merchant", "presentation.other_team") { shop in
            let other = try Shop.merchant(
                shop.merchant.merchantIdentifier, shop.otherMerchant.teamIdentifier)
            return try shop.envelope(in: shop.transcript(other))
        },
        Attack("for a merchant nobody knows", "presentation.info_hash") { shop in
            try shop.envelope(in: shop.transcript(Shop.merchant("merchant.example.x", "TEAM000000")))
        },
        Attack("to another nonce", "presentation.info_hash") { shop in
            let other = try PresentationNonce(randomBytes(32))
            return try shop.envelope(in: shop.transcript(nonce: other))
        },
        Attack("a swapped encapsulated key", "presentation.not_opened") { shop in
            try shop.changed { $0.encapsulatedKey = try shop.envelope().encapsulatedKey }
        },
        Attack("an encapsulated key off the curve", "presentation.encapsulated_key") { shop in
            try shop.changed { $0.encapsulatedKey[64] ^= 1 }
        },
        Attack("a compressed encapsulated key", "presentation.size") { shop in
            try shop.changed { $0.encapsulatedKey = [0x02] + $0.encapsulatedKey[1...32] }
        },
        Attack("a hash cut short", "presentation.size") { shop in
            try shop.changed { $0.infoHash.removeLast() }
        },
        Attack("one bit of the ciphertext", "presentation.not_opened") { shop in
            try shop.changed { $0.ciphertext[100] ^= 1 }
        },
        Attack("no ciphertext", "presentation.not_opened") { shop in
            try shop.changed { $0.ciphertext = [] }
        },
        Attack("an envelope cut", "presentation.malformed") { shop in
            try shop.changed { $0.cut = $0.encoded.count - 1 }
        },
        Attack("nothing", "presentation.malformed") { shop in
            try shop.changed { $0.cut = 0 }
        },
        Attack("another algorithm", "presentation.algorithm") { shop in
            try shop.changed { $0.algorithm = Encoded.text("APPLE-HPKE-v2") }
        },
        Attack("an algorithm that is no text", "presentation.algorithm") { shop in
            try shop.changed { $0.algorithm = Encoded.bytes(Array("APPLE-HPKE-v1".utf8)) }
        },
        Attack("another mode", "presentation.mode") { shop in
            try shop.changed { $0.mode = 1 }
        },
        Attack("an extra document", "presentation.extra_document") { shop in
            shop.documents.append(try TestDocument([.init("family_name", Encoded.text("Other"))]))
            return try shop.envelope()
        },
        Attack("no document", "response.no_documents") { shop in
            shop.documents = []
            return try shop.envelope()
        },
        Attack("a MAC in place of the signature", "presentation.device_mac") { shop in
            shop.documents[0].deviceAuth = .mac
            return try shop.envelope()
        },
        Attack("a MAC beside the signature", "presentation.device_mac") { shop in
            shop.documents[0].deviceAuth = .both
            return try shop.envelope()
        },
        Attack("no signature of the device", "device_authentication") { shop in
            shop.documents[0].deviceAuth = .none
            return try shop.envelope()
        },
        Attack("a document signed in another presentation", "device_authentication") { shop in
            let stolen = try shop.response(in: shop.transcript(shop.otherMerchant))
            let bytes = try WalletEnvelope.seal(
                stolen, to: shop.key.pair.privateKey.publicKey(), in: shop.transcript(),
                ephemeralKey: PrivateKey.generate(.p256))
            return EnvelopeParts(try WalletEnvelope(bytes[...]))
        },
        Attack("a document that was not asked for", "request_match") { shop in
            shop.requests = [Shop.request("family_name", docType: "org.iso.23220.photoid.1")]
            return try shop.envelope()
        },
        Attack("an issuer nobody trusts", "issuer_certificate") { shop in
            shop.trust = try TestAuthority().store()
            return try shop.envelope()
        },
        Attack("an answer that is no DeviceResponse", "presentation.response") { shop in
            let bytes = try WalletEnvelope.seal(
                [0x80], to: shop.key.pair.privateKey.publicKey(), in: shop.transcript(),
                ephemeralKey: PrivateKey.generate(.p256))
            return EnvelopeParts(try WalletEnvelope(bytes[...]))
        },
        Attack("an answer under another topic", "presentation.malformed") { shop in
            let transcript = shop.transcript()
            let topics = Encoded.map([("other", try shop.response(in: transcript))])
            let (enc, ciphertext) = try HPKE.seal(
                topics[...], to: shop.key.pair.privateKey.publicKey(), info: transcript.encoded,
                ephemeralKey: PrivateKey.generate(.p256))
            var envelope = try shop.envelope()
            (envelope.encapsulatedKey, envelope.ciphertext) = (enc, ciphertext)
            return envelope
        },
    ]

    @Test("Each attack is refused for its own reason", arguments: attacks)
    func refused(_ attack: Attack<EnvelopeParts>) throws {
        var shop = try Shop()
        let envelope = try attack.make(&shop)
        #expect(try shop.judge(envelope) == attack.reason)
    }
}
