import MdocModel
import OpenSSLCrypto
import ReaderTokens
import TestCredentials
import Testing

/// Two brands with their keys, one reader, and what prepares it.
struct TokenScene {
    static let now = Timestamp(secondsSince1970: TestAuthority.now)
    static let instance = "0123456789abcdef0123456789abcdef"
    /// Scalars of the keys, by `kid`.
    static let keys: [String: UInt8] = ["k1": 1, "k2": 2, "revoked": 3, "late": 4, "other": 5]

    var registry = BrandRegistry()
    let instance: ReaderInstance
    let audience: TokenText
    var firstUses: any TokenFirstUses = TokenFirstUsesInMemory()

    init() throws {
        instance = try #require(ReaderInstance(Self.instance))
        audience = ReaderToken.defaultAudience
        let brands = try [("utopia", ["k1", "k2", "revoked", "late"]), ("arcadia", ["other"])].map {
            id, keys in
            Brand(
                identifier: try named(id), name: try brandName("The \(id) shop"),
                keys: try keys.map(Self.key))
        }
        for brand in brands { try registry.add(brand) }
    }

    static func signingKey(_ kid: String) throws -> PrivateKey {
        try PrivateKey(curve: .p256, scalar: [UInt8](repeating: try #require(keys[kid]), count: 32)[...])
    }

    private static func key(_ kid: String) throws -> BrandKey {
        try BrandKey(
            try named(kid), signingKey(kid).publicKey(),
            notAfter: kid == "late" ? now.advanced(bySeconds: 3600) : nil, isRevoked: kid == "revoked")
    }

    var verifier: ReaderTokenVerifier {
        ReaderTokenVerifier(
            registry: registry, instance: instance, audience: audience, firstUses: firstUses)
    }

    @discardableResult
    func prepare(_ token: TestToken, after seconds: Int64 = 0) async throws -> PreparedReader {
        try await verifier.prepare(token.text(), at: Self.now.advanced(bySeconds: seconds))
    }
}

/// A token of any shape, signed with OpenSSL alone.
struct TestToken: Sendable {
    /// Members by name, each as its JSON text.
    var header = ["alg": "\"ES256\"", "kid": "\"k1\"", "typ": "\"JWT\""]
    var claims = [
        "iss": "\"utopia\"", "sub": "\"\(TokenScene.instance)\"",
        "aud": "\"\(ReaderToken.defaultAudience.text)\"",
        "iat": "\(TestAuthority.now)", "exp": "\(TestAuthority.now + 300)",
    ]
    /// Whole texts in place of the members.
    var headerText: String?
    var claimsText: String?
    /// The key it is signed with, by its `kid`.
    var signedWith = "k1"
    /// What is done to header and claims before they are signed.
    var rewrite: @Sendable (String) -> String = { $0 }
    /// What makes the signature over header and claims in place of that key.
    var sign: (@Sendable (_ input: [UInt8]) throws -> [UInt8])?
    /// What is done to the finished text.
    var finish: @Sendable (String) -> String = { $0 }

    init(_ change: (inout TestToken) -> Void = { _ in }) { change(&self) }

    /// Issued and expiring that many seconds from now.
    init(issued: Int64, expires: Int64) {
        claims["iat"] = "\(TestAuthority.now + issued)"
        claims["exp"] = "\(TestAuthority.now + expires)"
    }

    static func object(_ members: [String: String]) -> String {
        "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    func text() throws -> String {
        let input = rewrite(
            [headerText ?? Self.object(header), claimsText ?? Self.object(claims)]
                .map { Base64URL.encode($0.utf8) }.joined(separator: "."))
        let bytes = Array(input.utf8)
        let signature =
            try sign?(bytes)
            ?? TokenScene.signingKey(signedWith).sign(
                [bytes[...]], algorithm: .ecdsa(.sha256), form: .fixedWidth)
        return finish("\(input).\(Base64URL.encode(signature))")
    }
}

/// An identifier that is one.
func named(_ text: String) throws -> TokenText { try #require(TokenText(text)) }

/// A name that is one.
func brandName(_ text: String) throws -> BrandName { try #require(BrandName(text)) }
