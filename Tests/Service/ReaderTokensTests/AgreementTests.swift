import Foundation
import JSON
import MdocModel
import OpenSSLCrypto
import PKIX
import OtherPrograms
import Testing
import VectorFiles

@testable import ReaderTokens

/// The JWS with ES256 of RFC 7515, A.3.
private struct PublishedToken: Decodable {
    let x, y, d, header, payload, signature: String

    static func read() throws -> PublishedToken {
        try VectorFiles.json(at: VectorFiles.own.appending(path: "rfc7515/a3-es256.json"))
    }

    var input: [UInt8] { Array("\(header).\(payload)".utf8) }

    func key() throws -> BrandKey {
        let (x, y) = (try #require(Base64URL.decode(x.utf8)), try #require(Base64URL.decode(y.utf8)))
        return try BrandKey(named("a3"), PublicKey(curve: .p256, x: x[...], y: y[...]))
    }
}

@Suite("Reader tokens and other implementations of ES256")
struct AgreementTests {
    @Test("The signature of RFC 7515, A.3 verifies, and with no bit changed in it or in what is signed")
    func published() throws {
        let published = try PublishedToken.read()
        let key = try published.key()
        let signature = try #require(Base64URL.decode(published.signature.utf8))
        try key.verify(signature, over: published.input)
        for bit in 0..<8 * signature.count {
            var other = signature
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: ReaderTokensError.signatureInvalid, "bit \(bit)") {
                try key.verify(other, over: published.input)
            }
        }
        for index in published.input.indices {
            var other = published.input
            other[index] ^= 1
            #expect(throws: ReaderTokensError.signatureInvalid, "byte \(index)") {
                try key.verify(signature, over: other)
            }
        }
    }

    @Test("With the private key of RFC 7515, A.3 a token is signed that its public key verifies")
    func publishedKey() throws {
        let published = try PublishedToken.read()
        let scalar = try #require(Base64URL.decode(published.d.utf8))
        let signer = try ReaderTokenSigner(
            PrivateKey(curve: .p256, scalar: scalar[...]), named("a3"), of: named("utopia"))
        let scene = try TokenScene()
        let text = try signer.sign(for: scene.instance, audience: scene.audience, at: TokenScene.now)
        let token = try UnverifiedReaderToken(Array(text.utf8)[...])
        try published.key().verify(token.signature, over: token.signingInput)
        #expect(throws: ReaderTokensError.signatureInvalid) {
            try published.key().verify(token.signature, over: published.input)
        }
    }

    @Test("The JWS of RFC 7515, A.3 is not a reader token: its header lacks typ")
    func publishedIsRefused() throws {
        let published = try PublishedToken.read()
        let text = "\(published.header).\(published.payload).\(published.signature)"
        #expect(throws: ReaderTokensError.malformed(.header, .missingMember("typ", at: 0))) {
            try UnverifiedReaderToken(Array(text.utf8)[...])
        }
    }

    @Test(
        "Python accepts our token and refuses a changed one; we accept Python's token and refuse its forgeries",
        .enabled(if: PythonCryptography.isThere, Comment(rawValue: PythonCryptography.missing)))
    func python() async throws {
        let scene = try TokenScene()
        let own = try ReaderTokenSigner(TokenScene.signingKey("k1"), named("k1"), of: named("utopia"))
            .sign(for: scene.instance, audience: scene.audience, at: TokenScene.now)
        let pem = try TokenScene.signingKey("k1").unprotectedPEM().withUnprotectedBytes(Array.init)
        let folder = try ScriptFolder(["own": Array(own.utf8), "key.pem": pem])
        let (status, errors) = try PythonCryptography.run(Self.script, folder.path)
        #expect(status == 0, "\(errors)")
        func read(_ name: String) throws -> String {
            try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
        }
        let inDER = try read("der")
        let der = try #require(inDER.split(separator: ".").last.flatMap { Base64URL.decode($0.utf8) })
        let forged: [(String, ReaderTokensError)] = [
            ("other-key", .signatureInvalid), ("sha512", .signatureInvalid), ("changed", .signatureInvalid),
            ("der", .signatureMalformed(size: der.count)), ("none", .algorithmNotES256),
            ("hs256", .algorithmNotES256), ("mac", .signatureMalformed(size: 32)),
        ]
        for (name, error) in forged {
            await #expect(throws: error, "\(name)") {
                try await scene.verifier.prepare(read(name), at: TokenScene.now)
            }
        }
        let prepared = try await scene.verifier.prepare(read("theirs"), at: TokenScene.now)
        #expect(prepared.brand.identifier.text == "utopia")
    }

    /// Verifies `own` with the public half of `key.pem`, and writes `theirs` with its claims, and forgeries.
    private static let script = """
        import base64, hashlib, hmac, json, sys
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        folder = sys.argv[1]
        def decode(text): return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))
        def encode(data): return base64.urlsafe_b64encode(data).rstrip(b'=').decode()
        key = serialization.load_pem_private_key(open(folder + '/key.pem', 'rb').read(), None)
        public = key.public_key()

        # Ours
        header, claims, signature = open(folder + '/own').read().split('.')
        def verifies(text, raw):
            der = utils.encode_dss_signature(
                int.from_bytes(raw[:32], 'big'), int.from_bytes(raw[32:], 'big'))
            try: public.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
            except InvalidSignature: return False
            return True
        raw = decode(signature)
        assert len(raw) == 64
        assert verifies(header + '.' + claims, raw)
        assert not verifies(header + '.' + claims, bytes([raw[0] ^ 1]) + raw[1:])
        assert not verifies(claims + '.' + header, raw)
        assert json.loads(decode(header)) == {'alg': 'ES256', 'kid': 'k1', 'typ': 'JWT'}
        members = json.loads(decode(claims))
        assert sorted(members) == ['aud', 'exp', 'iat', 'iss', 'sub']

        # Theirs
        def part(members): return encode(json.dumps(members, indent=2).encode())
        def sign(text, key=key, hash=hashes.SHA256()):
            der = key.sign(text.encode(), ec.ECDSA(hash))
            r, s = utils.decode_dss_signature(der)
            return r.to_bytes(32, 'big') + s.to_bytes(32, 'big'), der
        def write(name, text, signature):
            open(folder + '/' + name, 'w').write(text + '.' + encode(signature))
        def head(algorithm): return part({'typ': 'JWT', 'kid': 'k1', 'alg': algorithm})
        sooner = part(members | {'exp': members['exp'] - 1})
        claims = part(members)
        text = head('ES256') + '.' + claims
        write('theirs', text, sign(text)[0])
        write('other-key', text, sign(text, ec.generate_private_key(ec.SECP256R1()))[0])
        write('sha512', text, sign(text, hash=hashes.SHA512())[0])
        write('changed', head('ES256') + '.' + sooner, sign(text)[0])
        write('der', text, sign(text)[1])
        write('none', head('none') + '.' + claims, b'')
        secret = public.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        def mac(text): return hmac.new(secret, text.encode(), hashlib.sha256).digest()
        write('hs256', head('HS256') + '.' + claims, mac(head('HS256') + '.' + claims))
        write('mac', text, mac(text))
        """
}
