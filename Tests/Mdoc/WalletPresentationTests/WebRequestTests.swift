import CBOR
import COSE
import MdocModel
import OpenSSLCrypto
import PKIX
import TestCredentials
import Testing

@testable import WalletPresentation

@Suite("What a page asks for")
struct WebRequestTests {
    private let shop: Shop

    init() throws {
        shop = try Shop()
    }

    private static func identity() throws -> (ReaderIdentity, Certificate) {
        let authority = try TestAuthority()
        let key = try TestKey(scalar: [UInt8](repeating: 7, count: 32))
        let certificate = try Certificate(der: authority.sign(authority.reader(for: key))[...])
        let own = try PrivateKey(curve: .p256, scalar: [UInt8](repeating: 7, count: 32)[...])
        return (
            ReaderIdentity(
                name: "shop", key: try COSECertifiedKey(own, chain: CertificateChain([certificate]))),
            certificate
        )
    }

    private func request(
        signedBy identity: ReaderIdentity?, useCases: [DeviceRequestInfo.UseCase] = []
    ) throws -> (WebRequest, DeviceRequest) {
        let draft = DeviceRequestDraft(
            [Shop.request("age_over_21"), Shop.request("sex", docType: "org.iso.23220.photoid.1")],
            useCases: useCases)
        let request = try WebRequest(
            draft, encryptionInfo: shop.encryptionInfo(), origin: shop.origin, signedBy: identity)
        let bytes = try #require(Base64URL.decode(request.deviceRequest.utf8))
        return (request, try DeviceRequest(bytes[...]))
    }

    @Test("The request is 1.1, one signature over all documents in the transcript of text and origin")
    func signed() throws {
        let (identity, certificate) = try Self.identity()
        let (request, read) = try request(signedBy: identity)
        #expect(read.version == "1.1" && read.docRequests.map(\.itemsRequest) == request.documents)
        #expect(read.docRequests.allSatisfy { $0.readerAuth == nil } && read.readerAuthAll.count == 1)
        let signature = try COSESign1(#require(read.readerAuthAll.first))
        #expect(try signature.headers.x5chain().map(Array.init) == [Array(certificate.der)])
        let publicKey = try certificate.publicKey()
        func payload(_ origin: WebOrigin, _ text: String) -> [ArraySlice<UInt8>] {
            readerAuthenticationAllBytes(
                transcript: .onTheWeb(encryptionInfo: text, origin: origin),
                itemsRequests: read.docRequests.map(\.itemsRequestBytes),
                deviceRequestInfo: read.deviceRequestInfoBytes)
        }
        let text = request.encryptionInfo.text
        try signature.verify(with: publicKey, detachedPayload: payload(shop.origin, text))
        for other in [payload(shop.otherOrigin, text), payload(shop.origin, text + "=")] {
            #expect(throws: COSEError.signatureInvalid) {
                try signature.verify(with: publicKey, detachedPayload: other)
            }
        }
    }

    @Test("Without use cases all documents are asked together, with some as they say")
    func useCases() throws {
        let together = try request(signedBy: nil).1
        #expect(together.readerAuthAll.isEmpty && together.version == "1.1")
        #expect(together.deviceRequestInfo?.useCases == [.init(isMandatory: true, documentSets: [[0, 1]])])
        let either = [DeviceRequestInfo.UseCase(isMandatory: false, documentSets: [[0], [1]])]
        #expect(try request(signedBy: nil, useCases: either).1.deviceRequestInfo?.useCases == either)
    }

    @Test("encryptionInfo is read with its nonce and key, and refused in any other shape")
    func encryptionInfo() throws {
        let info = try shop.encryptionInfo()
        let read = try EncryptionInfo(info.text)
        #expect(read.nonce == shop.nonce && read.isFor(shop.key))
        #expect(try !read.isFor(Shop.recipientKey()))
        let key = Array(shop.key.pair.publicKeyBytes.content)
        let other = COSEKeyPair(try PrivateKey.generate(.p384)).publicKeyBytes.content
        let nonce = Encoded.bytes(shop.nonce.bytes)
        let shapes: [([UInt8], WalletPresentationError)] = [
            (Self.info("dcapi", Encoded.bytes([UInt8](repeating: 1, count: 15)), key), .nonceSizeWrong),
            (Self.info("dcapi", Encoded.bytes([UInt8](repeating: 1, count: 65)), key), .nonceSizeWrong),
            (Self.info("dcapi", nonce, Array(other)), .recipientKeyUnusable),
            (Self.info("dcapi", nonce, [0xa0]), .recipientKeyUnusable),
            (
                Self.info("other", nonce, key),
                .malformed(.encryptionInfo, .unexpectedType(expected: .textString, at: 1))
            ),
            (
                Encoded.array([Encoded.text("dcapi"), [0xa0]]),
                .malformed(.encryptionInfo, .missingMember(at: 7))
            ),
            (Self.info("dcapi", nonce, key) + [0], .malformed(.encryptionInfo, .trailingBytes(at: 142))),
        ]
        for (bytes, error) in shapes {
            #expect(throws: error) { try EncryptionInfo(Base64URL.encode(bytes)) }
        }
        let text = try shop.encryptionInfo().text
        for refused in [text + "=", text + " ", String(repeating: "A", count: 4100)] {
            #expect(throws: WalletPresentationError.notBase64URL(.encryptionInfo)) {
                try EncryptionInfo(refused)
            }
        }
        #expect(throws: WalletPresentationError.malformed(.encryptionInfo, .truncated(at: 0))) {
            try EncryptionInfo("")
        }
    }

    private static func info(_ name: String, _ nonce: [UInt8], _ key: [UInt8]) -> [UInt8] {
        Encoded.array([
            Encoded.text(name), Encoded.map([("nonce", nonce), ("recipientPublicKey", key)]),
        ])
    }

    @Test(
        "An origin is taken as browsers write it",
        arguments: [
            "https://shop.example", "https://shop.example:8443", "https://xn--bcher-kva.example", "https://a",
            "http://localhost:8080", "http://localhost", "http://127.0.0.1:1", "https://127.0.0.1",
        ])
    func origins(text: String) throws {
        #expect(try WebOrigin(text).serialised == text)
    }

    @Test("Q238 The origin of an Android app is the base64url SHA-256 of its certificate, in its one form")
    func androidOrigin() throws {
        let hash = Base64URL.encode([UInt8](repeating: 0xa5, count: 32))
        let origin = "android:apk-key-hash:\(hash)"
        #expect(hash.count == 43)
        #expect(try WebOrigin(origin).serialised == origin)
        #expect(try WebOrigin(origin) != WebOrigin("https://shop.example"))
        for other in [
            "android:apk-key-hash:", "android:apk-key-hash:\(hash)=",
            "android:apk-key-hash:\(hash.dropLast())",
            "android:apk-key-hash:\(hash)A", "Android:apk-key-hash:\(hash)", "android:apk-key-hash: \(hash)",
            "android:apk-key-hash:\(hash) ", "android:apk-key-hash-sha256:\(hash)", "ios:bundle-id:\(hash)",
            "android:apk-key-hash:\(hash.dropLast())+", "android:apk-key-hash:\(hash.dropLast())/",
            // The last character's spare bits are set: the same bytes in a second form.
            "android:apk-key-hash:\(hash.dropLast())V",
            "android:apk-key-hash:\(Base64URL.encode([UInt8](repeating: 1, count: 20)))",
        ] {
            #expect(throws: WalletPresentationError.originMalformed, "\(other)") { try WebOrigin(other) }
        }
    }

    @Test(
        "Anything else is no origin of ours",
        arguments: [
            "", "https://", "shop.example", "https://shop.example/", "https://shop.example:443",
            "HTTPS://shop.example",
            "https://Shop.example", "https://shop.example:", "https://shop.example:08",
            "https://shop.example:65536",
            "http://shop.example", "http://localhost:80", "https://user@shop.example",
            "https://shop.example?x",
            "https://shop..example", "https://-shop.example", "https://bücher.example", "null",
            "ftp://shop.example", "https://shop.example:8443/", "https://shop.example:1:2", "https://[::1]",
            "https://shop.example ",
        ])
    func notOrigins(text: String) {
        #expect(throws: WalletPresentationError.originMalformed) { try WebOrigin(text) }
    }

    @Test(
        "A merchant or team that is empty, too long or not printable is refused, and a recipient on another curve"
    )
    func configuration() throws {
        for identifier in ["", " ", "a b", "ü", "a\u{0}", String(repeating: "a", count: 256)] {
            #expect(throws: WalletPresentationError.identifierMalformed) {
                try Shop.merchant(identifier, "TEAM")
            }
            #expect(throws: WalletPresentationError.identifierMalformed) {
                try Shop.merchant("merchant", identifier)
            }
        }
        #expect(try Shop.merchant(String(repeating: "a", count: 255), "T").teamIdentifier == "T")
        #expect(throws: WalletPresentationError.recipientKeyUnusable) {
            try RecipientKey(COSEKeyPair(try PrivateKey.generate(.p384)))
        }
    }
}
