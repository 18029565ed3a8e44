import MdocModel
import OpenSSLCrypto
import TestCredentials
import Testing

@testable import WalletPresentation

@Suite("On the web")
struct WebAttackTests {
    @Test("A good answer is verified")
    func good() throws {
        let shop = try Shop()
        #expect(try shop.judge(shop.webResponse().utf8) == "verified")
    }

    /// The parts of an answer, changed and put together again.
    private static func changed(
        _ response: String, _ change: (inout [UInt8], inout [UInt8]) throws -> Void
    ) throws -> String {
        let parsed = try EncryptedResponse(response.utf8)
        var (enc, ciphertext) = (Array(parsed.encapsulatedKey), Array(parsed.ciphertext))
        try change(&enc, &ciphertext)
        return Base64URL.encode(
            Encoded.array([
                Encoded.text("dcapi"),
                Encoded.map([("enc", Encoded.bytes(enc)), ("cipherText", Encoded.bytes(ciphertext))]),
            ]))
    }

    static let attacks: [Attack<String>] = [
        Attack("asked on another page of ours", "presentation.other_origin") { shop in
            try shop.webResponse(on: shop.otherOrigin)
        },
        Attack("asked on a page nobody knows", "presentation.not_opened") { shop in
            try shop.webResponse(on: WebOrigin("https://evil.example"))
        },
        Attack("asked on another port", "presentation.not_opened") { shop in
            try shop.webResponse(on: WebOrigin("https://shop.example:8443"))
        },
        Attack("encryptionInfo with padding", "presentation.encryption_info_reencoded") { shop in
            let text = try shop.encryptionInfo().text
            return try shop.webResponse(
                to: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
        },
        Attack("encryptionInfo in the other alphabet", "presentation.encryption_info_reencoded") { shop in
            let text = try shop.encryptionInfo().text
            return try shop.webResponse(to: String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }))
        },
        Attack("encryptionInfo of another request", "presentation.not_opened") { shop in
            let other = try EncryptionInfo(nonce: PresentationNonce(randomBytes(32)), for: shop.key)
            return try shop.webResponse(to: other.text)
        },
        Attack("sealed for another key", "presentation.not_opened") { shop in
            try shop.webResponse(recipient: Shop.recipientKey())
        },
        Attack("a swapped encapsulated key", "presentation.not_opened") { shop in
            let other = try EncryptedResponse(shop.webResponse().utf8)
            return try changed(shop.webResponse()) { enc, _ in enc = Array(other.encapsulatedKey) }
        },
        Attack("an encapsulated key off the curve", "presentation.encapsulated_key") { shop in
            try changed(shop.webResponse()) { enc, _ in enc[40] ^= 1 }
        },
        Attack("an encapsulated key of another size", "presentation.size") { shop in
            try changed(shop.webResponse()) { enc, _ in enc.removeLast() }
        },
        Attack("one bit of the ciphertext", "presentation.not_opened") { shop in
            try changed(shop.webResponse()) { _, ciphertext in ciphertext[7] ^= 1 }
        },
        Attack("a response cut", "presentation.malformed") { shop in
            // Within whole groups of base64url: what is left of a group would be another fault.
            let text = try shop.webResponse()
            return String(text.prefix((text.count - 8) / 4 * 4))
        },
        Attack("a response with padding", "presentation.base64url") { shop in
            try shop.webResponse() + "="
        },
        Attack("a response of another protocol", "presentation.malformed") { _ in
            Base64URL.encode(
                Encoded.array([
                    Encoded.text("DCAPI"),
                    Encoded.map([("enc", Encoded.bytes([])), ("cipherText", Encoded.bytes([]))]),
                ]))
        },
        Attack("a response with a third part", "presentation.malformed") { _ in
            Base64URL.encode(
                Encoded.array([
                    Encoded.text("dcapi"),
                    Encoded.map([("enc", Encoded.bytes([])), ("cipherText", Encoded.bytes([]))]), [0xf6],
                ]))
        },
        Attack("an extra document of the same type", "presentation.extra_document") { shop in
            shop.documents.append(try TestDocument([.init("family_name", Encoded.text("Other"))]))
            return try shop.webResponse()
        },
        Attack("two of one type where two of different types were asked", "presentation.extra_document") {
            shop in
            shop.requests.append(Shop.request("family_name", docType: "org.iso.23220.photoid.1"))
            shop.documents.append(try TestDocument([.init("family_name", Encoded.text("Other"))]))
            return try shop.webResponse()
        },
        Attack("a MAC in place of the signature", "presentation.device_mac") { shop in
            shop.documents[0].deviceAuth = .mac
            return try shop.webResponse()
        },
        Attack("an issuer nobody trusts", "issuer_certificate") { shop in
            shop.trust = try TestAuthority().store()
            return try shop.webResponse()
        },
    ]

    @Test("Each attack is refused for its own reason", arguments: attacks)
    func refused(_ attack: Attack<String>) throws {
        var shop = try Shop()
        let response = try attack.make(&shop)
        #expect(try shop.judge(response.utf8) == attack.reason)
    }

    @Test("Two documents are taken where both were asked for")
    func twoDocuments() throws {
        var shop = try Shop()
        shop.requests.append(Shop.request("family_name", docType: "org.iso.23220.photoid.1"))
        var other = try TestDocument([.init("family_name", Encoded.text("Mustermann"))])
        other.docType = "org.iso.23220.photoid.1"
        shop.documents.append(other)
        #expect(try shop.judge(shop.webResponse().utf8) == "verified")
    }

    @Test("Q238 An answer to an app is bound to the app's origin, to the character")
    func appOrigin() throws {
        func origin(_ byte: UInt8) throws -> WebOrigin {
            try WebOrigin(
                "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: byte, count: 31) + [0]))
        }
        var shop = try Shop()
        shop.origin = try origin(1)
        #expect(try shop.judge(shop.webResponse().utf8) == "verified")
        #expect(try shop.judge(shop.webResponse(on: origin(2)).utf8) == "presentation.not_opened")
        #expect(
            try shop.judge(shop.webResponse(on: WebOrigin("https://shop.example")).utf8)
                == "presentation.not_opened")
    }

    @Test("encryptionInfo of another key or another nonce is not taken, whatever came")
    func otherInfo() throws {
        let shop = try Shop()
        let ofOtherKey = try EncryptionInfo(nonce: shop.nonce, for: Shop.recipientKey())
        #expect(
            try shop.judge(shop.webResponse(to: ofOtherKey.text).utf8, info: ofOtherKey)
                == "presentation.recipient_key")
        let ofOtherNonce = try EncryptionInfo(nonce: PresentationNonce(randomBytes(32)), for: shop.key)
        #expect(
            try shop.judge(shop.webResponse(to: ofOtherNonce.text).utf8, info: ofOtherNonce)
                == "presentation.other_nonce")
    }

    @Test("A response beyond a mebibyte is refused before it is decoded")
    func tooLong() throws {
        let text = [UInt8](
            repeating: UInt8(ascii: "A"), count: (EncryptedResponse.maximumSize * 4 + 2) / 3 + 1)
        #expect(throws: WalletPresentationError.notBase64URL(.encryptedResponse)) {
            try EncryptedResponse(text)
        }
    }
}
