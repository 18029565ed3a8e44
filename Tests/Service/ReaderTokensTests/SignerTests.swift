import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import ReaderTokens
import TestCredentials
import Testing

@Suite("Signing reader tokens")
struct SignerTests {
    private static func signer(_ kid: String = "k1") throws -> ReaderTokenSigner {
        try ReaderTokenSigner(
            TokenScene.signingKey(kid).privateKey, named(kid), of: named("utopia")
        )
    }

    private static func token(lifetime: Int64 = 300) async throws -> String {
        let scene = try TokenScene()
        return try await signer().sign(
            for: scene.instance, audience: scene.audience, at: TokenScene.now, lifetime: lifetime)
    }

    @Test("What is signed has just the members of a reader token, and prepares the reader")
    func members() async throws {
        let text = try await Self.token(lifetime: 200)
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
    func openSSL() async throws {
        let text = try await Self.token()
        let point = try #require(text.lastIndex(of: "."))
        let signature = try #require(Base64URL.decode(text[text.index(after: point)...].utf8))
        let input = Array(text[..<point].utf8)
        let key = try TokenScene.signingKey("k1").privateKey.publicKey()
        try key.verify(signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input[...]])
        #expect(throws: OpenSSLCryptoError.signatureInvalid) {
            try key.verify(
                signature[...], form: .fixedWidth, algorithm: .ecdsa(.sha256), over: [input.dropLast()])
        }
    }

    @Test(
        "Python takes our tokens, and we take Python's",
        .enabled(if: PythonCryptography.isThere, Comment(rawValue: PythonCryptography.missing)))
    func python() async throws {
        let own = try await Self.token()
        let pem = try TokenScene.signingKey("k1").privateKey.unprotectedPEM().withUnprotectedBytes {
            Array($0)
        }
        let folder = try ScriptFolder(["own": Array(own.utf8), "key.pem": pem])
        let (status, errors) = try PythonCryptography.run(Self.script, folder.path)
        #expect(status == 0, "\(errors)")
        let theirs = try String(contentsOfFile: "\(folder.path)/theirs", encoding: .utf8)
        _ = try await TokenScene().verifier.prepare(theirs, at: TokenScene.now)
    }

    /// Verifies `own` with the public half of `key.pem`, and signs `theirs`, its claims with a header of Python's making.
    private static let script = """
        import base64, json, sys
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        folder = sys.argv[1]
        def decode(text): return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        def encode(data): return base64.urlsafe_b64encode(data).rstrip(b'=').decode()
        key = serialization.load_pem_private_key(open(folder + '/key.pem', 'rb').read(), None)
        header, claims, signature = open(folder + '/own').read().split('.')
        raw = decode(signature)
        assert len(raw) == 64
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], 'big'), int.from_bytes(raw[32:], 'big'))
        algorithm = ec.ECDSA(hashes.SHA256())
        key.public_key().verify(der, (header + '.' + claims).encode(), algorithm)
        assert json.loads(decode(header)) == {'alg': 'ES256', 'kid': 'k1', 'typ': 'JWT'}
        header = encode(json.dumps({'typ': 'JWT', 'kid': 'k1', 'alg': 'ES256'}, indent=2).encode())
        r, s = utils.decode_dss_signature(key.sign((header + '.' + claims).encode(), algorithm))
        raw = r.to_bytes(32, 'big') + s.to_bytes(32, 'big')
        open(folder + '/theirs', 'w').write(header + '.' + claims + '.' + encode(raw))
        """

    static let lifetimes: [(Int64, ReaderTokensError?)] = [
        (1, nil), (300, nil), (0, .lifetimeNotPositive), (-1, .lifetimeNotPositive), (301, .lifetimeTooLong),
    ]

    @Test("A token lives 1 to 300 seconds", arguments: lifetimes)
    func lifetime(_ lifetime: Int64, _ error: ReaderTokensError?) async throws {
        guard let error else {
            _ = try await Self.token(lifetime: lifetime)
            return
        }
        await #expect(throws: error) { try await Self.token(lifetime: lifetime) }
    }

    @Test("A key of PEM, in either form, signs; one of another curve and what is no key do not")
    func keys() async throws {
        let (kid, brand) = (try named("k1"), try named("utopia"))
        let pem = try TokenScene.signingKey("k1").privateKey.unprotectedPEM().withUnprotectedBytes {
            Array($0)
        }
        let signer = try ReaderTokenSigner(pem: pem[...], kid, of: brand)
        let scene = try TokenScene()
        let token = try await signer.sign(for: scene.instance, audience: scene.audience, at: TokenScene.now)
        _ = try await scene.verifier.prepare(token, at: TokenScene.now)
        #expect(throws: ReaderTokensError.signingKeyNotP256) {
            try ReaderTokenSigner(TestKey(.p384).privateKey, kid, of: brand)
        }
        for text in ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
            #expect(throws: ReaderTokensError.signingKeyUnusable(.pemMisshapen)) {
                try ReaderTokenSigner(pem: Array(text.utf8)[...], kid, of: brand)
            }
        }
    }

    @Test("The longest names make a token that is short enough")
    func longest() async throws {
        let longest = try named(String(repeating: "x", count: TokenText.longest))
        let scene = try TokenScene()
        let signer = try ReaderTokenSigner(TokenScene.signingKey("k1").privateKey, longest, of: longest)
        let token = try await signer.sign(for: scene.instance, audience: longest, at: TokenScene.now)
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
