import JSON
import MdocModel
import OpenSSLCrypto
import ReaderTokens
import TestCredentials
import Testing

@Suite("Signing reader tokens")
struct SignerTests {
    private static func signer(_ kid: String = "k1") throws -> ReaderTokenSigner {
        try ReaderTokenSigner(
            TokenScene.signingKey(kid), named(kid), of: named("utopia")
        )
    }

    private static func token(lifetime: Int64 = 300) throws -> String {
        let scene = try TokenScene()
        return try signer().sign(
            for: scene.instance, audience: scene.audience, at: TokenScene.now, lifetime: lifetime)
    }

    @Test("What is signed has just the members of a reader token, and prepares the reader")
    func members() async throws {
        let text = try Self.token(lifetime: 200)
        let parts = try text.split(separator: ".").map { try #require(Base64URL.decode($0.utf8)) }
        let header = try JSONItem.parse(parts[0][...]).members("alg", "kid", "typ")
        #expect(try header.required("alg").string() == "ES256" && header.required("typ").string() == "JWT")
        #expect(try header.required("kid").string() == "k1")
        let claims = try JSONItem.parse(parts[1][...]).members("iss", "sub", "aud", "iat", "exp")
        #expect(try claims.required("iss").string() == "utopia")
        #expect(try claims.required("sub").string() == TokenScene.instance)
        #expect(try claims.required("aud").string() == "countersign-reader-v1")
        #expect(try claims.required("iat").integer() == TestAuthority.now)
        #expect(try claims.required("exp").integer() == TestAuthority.now + 200)
        #expect(parts[2].count == 64)
        let prepared = try await TokenScene().verifier.prepare(text, at: TokenScene.now)
        #expect(prepared.brand.identifier.text == "utopia")
    }

    @Test("OpenSSL takes the signature, over just these bytes")
    func openSSL() throws {
        let text = try Self.token()
        let point = try #require(text.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(text[text.index(after: point)...].utf8))
        let input = Array(text[..<point].utf8)
        let key = try TokenScene.signingKey("k1").publicKey()
        try key.verify(signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input[...]])
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try key.verify(
                signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input.dropLast()])
        }
    }

    static let lifetimes: [(Int64, ReaderTokensError?)] = [
        (1, nil), (300, nil), (0, .lifetimeNotPositive), (-1, .lifetimeNotPositive), (301, .lifetimeTooLong),
    ]

    @Test("A token lives 1 to 300 seconds", arguments: lifetimes)
    func lifetime(_ lifetime: Int64, _ error: ReaderTokensError?) throws {
        guard let error else {
            _ = try Self.token(lifetime: lifetime)
            return
        }
        #expect(throws: error) { try Self.token(lifetime: lifetime) }
    }

    @Test("A key on P-256 signs, and one on another curve does not")
    func curves() throws {
        let (kid, brand) = (try named("k1"), try named("utopia"))
        _ = try ReaderTokenSigner(PrivateKey.generate(.p256), kid, of: brand)
        for curve in [Curve.p384, .brainpoolP256r1, .ed25519] {
            #expect(throws: ReaderTokensError.signingKeyNotP256) {
                try ReaderTokenSigner(PrivateKey.generate(curve), kid, of: brand)
            }
        }
        #expect(ReaderTokensError.signingKeyNotP256.id == "token.signing_key")
    }

    @Test("The longest names make a token that is short enough")
    func longest() throws {
        let longest = try named(String(repeating: "x", count: TokenText.longest))
        let scene = try TokenScene()
        let signer = try ReaderTokenSigner(TokenScene.signingKey("k1"), longest, of: longest)
        let token = try signer.sign(for: scene.instance, audience: longest, at: TokenScene.now)
        #expect(token.utf8.count < ReaderToken.maximumLength)
        #expect(TokenText(longest.text + "x") == nil)
    }

    @Test("A signer tells nothing of its key")
    func redacted() throws {
        let signer = try Self.signer()
        var text = "\(signer)" + String(reflecting: signer)
        dump(signer, to: &text)
        #expect(!text.contains("PrivateKey") && !text.contains("0101"))
    }

    static let names: [(String, Bool)] = [
        ("a", true), ("utopia-rent_2.x:y", true), ("9", true), ("", false), ("-a", false), (".a", false),
        ("a b", false), ("ä", false), ("a\n", false), ("a/b", false), ("a\"", false), ("\u{212a}", false),
    ]

    @Test("The audience unless told otherwise is one")
    func audience() { #expect(TokenText(ReaderToken.defaultAudience.text) == ReaderToken.defaultAudience) }

    @Test("What names something looks like nothing else", arguments: names)
    func isName(_ text: String, _ isName: Bool) {
        #expect((TokenText(text) != nil) == isName)
    }

    @Test("An instance is 128 bits in 32 digits of one form")
    func instance() throws {
        let instance = try #require(ReaderInstance((0..<16).map { UInt8($0 * 16 + 1) }))
        #expect(instance.text.text == "0111213141516171819 1a1b1c1d1e1f1".replacing(" ", with: ""))
        #expect(ReaderInstance(instance.text.text) == instance)
        for text in [
            instance.text.text.uppercased(), String(instance.text.text.dropLast()), "",
            "g" + instance.text.text.dropFirst(),
        ] {
            #expect(ReaderInstance(text) == nil, "\(text)")
        }
        #expect(ReaderInstance([UInt8](repeating: 0, count: 15)) == nil)
        #expect(ReaderInstance([UInt8](repeating: 0, count: 17)) == nil)
    }
}
