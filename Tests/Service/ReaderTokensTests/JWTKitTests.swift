import JWTKit
import MdocModel
import OpenSSLCrypto
import ReaderTokens
import TestCredentials
import Testing

/// What jwt-kit by itself takes, and why so much is looked at before it is asked. Where one of these fails after an
/// update, jwt-kit has become stricter; nothing here depends on it.
@Suite("What jwt-kit leaves to its callers")
struct JWTKitTests {
    struct Anything: JWTPayload {
        let iss: String
        let aud: AudienceClaim

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    static let taken: [(String, TestToken)] = [
        ("a token that is in order", TestToken()),
        ("another algorithm in the header", TestToken { $0.header["alg"] = "\"ES384\"" }),
        ("no algorithm at all", TestToken { $0.header["alg"] = "\"none\"" }),
        ("a critical extension", TestToken { $0.header["crit"] = #"["b64"]"# }),
        ("a kid that nobody has", TestToken { $0.header["kid"] = "\"k3\"" }),
        (
            "several audiences",
            TestToken { $0.claims["aud"] = "[\"\(ReaderToken.defaultAudience.text)\",\"x\"]" }
        ),
        ("an exp long ago", TestToken { $0.claims["exp"] = "1" }),
        ("padding", TestToken { $0.finish = { $0 + "==" } }),
    ]

    @Test("jwt-kit takes it", arguments: taken)
    func takes(_ name: String, _ token: TestToken) async throws {
        #expect(try await Self.isTaken(token))
    }

    @Test("Of these we take the one that is in order", arguments: taken)
    func weRefuse(_ name: String, _ token: TestToken) async throws {
        let scene = try TokenScene()
        guard name != Self.taken[0].0 else {
            try await scene.prepare(token)
            return
        }
        await #expect(throws: ReaderTokensError.self) { try await scene.prepare(token) }
    }

    static let refused: [(String, TestToken)] = [
        ("a signature in DER", TestToken { $0.form = .der }),
        ("another key", TestToken { $0.signedWith = "k2" }),
    ]

    @Test("jwt-kit refuses what was signed by another, and DER", arguments: refused)
    func refuses(_ name: String, _ token: TestToken) async throws {
        #expect(try await !Self.isTaken(token))
    }

    private static func isTaken(_ token: TestToken) async throws -> Bool {
        let key = try TokenScene.signingKey("k1").privateKey.publicKey()
        let keys = await JWTKeyCollection().add(
            ecdsa: try ES256PublicKey(parameters: (x: Base64URL.encode(key.x), y: Base64URL.encode(key.y))),
            kid: "k1")
        let text = try token.text()
        return (try? await keys.verify(text, as: Anything.self)) != nil
    }
}
