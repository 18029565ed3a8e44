import JSON
import MdocModel
import PKIX
import ReaderTokens
import TestCredentials
import Testing

/// One thing changed in a token that prepares the reader, and why it then does not.
struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: ReaderTokensError
    let token: TestToken

    init(_ name: String, _ error: ReaderTokensError, _ change: (inout TestToken) -> Void) {
        testDescription = name
        self.error = error
        token = TestToken(change)
    }
}

/// The token is refused, and leaves nothing behind: the first use of a good one is its own.
func refuse(_ refusal: Refusal) async throws {
    let scene = try TokenScene()
    await #expect(throws: refusal.error) { try await scene.prepare(refusal.token) }
    #expect(try await scene.prepare(TestToken(), after: 1).firstUse == TokenScene.now.advanced(bySeconds: 1))
}

/// Base64url whose last character of a part has its lowest bit set, a spare bit that stands for nothing.
private func withSpareBit(_ text: String, endOfPart index: Int) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var parts = text.split(separator: ".").map(String.init)
    guard let value = parts[index].popLast().flatMap(alphabet.firstIndex(of:)), value.isMultiple(of: 4) else {
        Issue.record("part \(index) has no spare bits")
        return text
    }
    parts[index].append(alphabet[value + 1])
    return parts.joined(separator: ".")
}

@Suite("What prepares no reader")
struct RefusalTests {
    @Test("The twin of all: unchanged it prepares the reader for its brand")
    func unchanged() async throws {
        let scene = try TokenScene()
        let prepared = try await scene.prepare(TestToken())
        #expect(prepared.brand.identifier.text == "utopia" && prepared.brand.name.text == "The utopia shop")
        #expect(prepared.instance == scene.instance && prepared.firstUse == TokenScene.now)
        #expect(prepared.until == TokenScene.now.advanced(bySeconds: 48 * 3600))
        let second = TestToken {
            $0.header["kid"] = "\"k2\""
            $0.signedWith = "k2"
        }
        _ = try await scene.prepare(second)
    }

    static let shapes = [
        Refusal("no text", .notThreeParts) { $0.finish = { _ in "" } },
        Refusal("two parts", .notThreeParts) { $0.finish = { String($0.prefix { $0 != "." }) + ".e30" } },
        Refusal("four parts", .notThreeParts) { $0.finish = { $0 + "." } },
        Refusal("five parts, as JWE has", .notThreeParts) { $0.finish = { $0 + ".." } },
        Refusal("JWS in JSON", .notThreeParts) { token in
            token.finish = {
                let parts = $0.split(separator: ".")
                return #"{"protected":"\#(parts[0])","payload":"\#(parts[1])","signature":"\#(parts[2])"}"#
            }
        },
        Refusal("white space before", .notBase64URL(.header)) { $0.finish = { " " + $0 } },
        Refusal("a line end behind", .notBase64URL(.signature)) { $0.finish = { $0 + "\n" } },
        Refusal("padding", .notBase64URL(.signature)) { $0.finish = { $0 + "==" } },
        Refusal("padding in what is signed", .notBase64URL(.header)) {
            $0.rewrite = { $0.replacing(".", with: "=.") }
        },
        Refusal("spare bits in the header", .notBase64URL(.header)) {
            $0.rewrite = { withSpareBit($0, endOfPart: 0) }
        },
        Refusal("spare bits in the claims", .notBase64URL(.claims)) {
            $0.rewrite = { withSpareBit($0, endOfPart: 1) }
        },
        Refusal("spare bits in the signature", .notBase64URL(.signature)) {
            $0.finish = { withSpareBit($0, endOfPart: 2) }
        },
        Refusal("the alphabet of base64url", .signatureInvalid) {
            $0.sign = { _ in [UInt8](repeating: 0xff, count: 64) }
        },
        Refusal("the alphabet of base64", .notBase64URL(.signature)) {
            $0.sign = { _ in [UInt8](repeating: 0xff, count: 64) }
            $0.finish = { $0.replacing("_", with: "/") }
        },
        Refusal("a header of nothing", .malformed(.header, .truncated(at: 0))) { $0.headerText = "" },
        Refusal("claims of an array", .malformed(.claims, .unexpectedType(expected: .object, at: 0))) {
            $0.claimsText = "[]"
        },
        Refusal("claims with more behind", .malformed(.claims, .trailingBytes(at: 2))) {
            $0.claimsText = "{}{}"
        },
        Refusal("no signature", .signatureMalformed(size: 0)) {
            $0.finish = { $0.withoutSignature }
        },
        Refusal("a signature that is longer", .signatureMalformed(size: 67)) { $0.finish = { $0 + "AAAA" } },
    ]

    static let headers = [
        Refusal("alg none", .algorithmNotES256) { $0.header["alg"] = "\"none\"" },
        Refusal("alg none without signature", .algorithmNotES256) {
            $0.header["alg"] = "\"none\""
            $0.finish = { $0.withoutSignature }
        },
        Refusal("alg HS256", .algorithmNotES256) { $0.header["alg"] = "\"HS256\"" },
        Refusal("alg ES384", .algorithmNotES256) { $0.header["alg"] = "\"ES384\"" },
        Refusal("alg es256", .algorithmNotES256) { $0.header["alg"] = "\"es256\"" },
        Refusal("alg ES-256", .algorithmNotES256) { $0.header["alg"] = "\"ES-256\"" },
        Refusal("alg nOnE", .algorithmNotES256) { $0.header["alg"] = "\"nOnE\"" },
        Refusal("alg RS256", .algorithmNotES256) { $0.header["alg"] = "\"RS256\"" },
        Refusal("an empty alg", .algorithmNotES256) { $0.header["alg"] = "\"\"" },
        Refusal("alg null", .malformed(.header, .unexpectedType(expected: .string, at: 7))) {
            $0.header["alg"] = "null"
        },
        Refusal("several alg", .malformed(.header, .unexpectedType(expected: .string, at: 7))) {
            $0.header["alg"] = #"["ES256"]"#
        },
        Refusal("no alg", .malformed(.header, .missingMember("alg", at: 0))) { $0.header["alg"] = nil },
        Refusal("typ JWE", .typeNotJWT) { $0.header["typ"] = "\"JWE\"" },
        Refusal("no typ", .malformed(.header, .missingMember("typ", at: 0))) { $0.header["typ"] = nil },
        Refusal("no kid", .malformed(.header, .missingMember("kid", at: 0))) { $0.header["kid"] = nil },
        Refusal("a kid of two lines", .valueMalformed(.kid)) { $0.header["kid"] = #""k1\n""# },
        Refusal("an empty kid", .valueMalformed(.kid)) { $0.header["kid"] = "\"\"" },
        Refusal("a kid that is a path", .valueMalformed(.kid)) { $0.header["kid"] = "\"../k1\"" },
        Refusal("a kid that is a number", .malformed(.header, .unexpectedType(expected: .string, at: 21))) {
            $0.header["kid"] = "1"
        },
        Refusal("kid twice", .malformed(.header, .duplicateMember(at: 26))) {
            $0.headerText = #"{"alg":"ES256","kid":"k2","kid":"k1","typ":"JWT"}"#
        },
        Refusal("alg twice", .malformed(.header, .duplicateMember(at: 15))) {
            $0.headerText = #"{"alg":"ES256","alg":"ES256","kid":"k1","typ":"JWT"}"#
        },
        Refusal("alg twice, in disguise", .malformed(.header, .duplicateMember(at: 15))) {
            $0.headerText = #"{"alg":"ES256","\u0061lg":"none","kid":"k1","typ":"JWT"}"#
        },
        Refusal("a critical extension", .malformed(.header, .unknownMember(at: 15))) {
            $0.header["crit"] = #"["exp"]"#
        },
        Refusal("claims that are not encoded (RFC 7797)", .malformed(.header, .unknownMember(at: 15))) {
            $0.header["b64"] = "false"
            $0.header["crit"] = #"["b64"]"#
        },
        Refusal("a key of its own", .malformed(.header, .unknownMember(at: 15))) { $0.header["jwk"] = "{}" },
        Refusal("an address of keys", .malformed(.header, .unknownMember(at: 15))) {
            $0.header["jku"] = "\"https://utopia.example\""
        },
        Refusal("certificates", .malformed(.header, .unknownMember(at: 38))) { $0.header["x5c"] = "[]" },
    ]

    static let signers = [
        Refusal("a kid that nobody has", .keyUnknown) { $0.header["kid"] = "\"k3\"" },
        Refusal("a kid in capitals", .keyUnknown) { $0.header["kid"] = "\"K1\"" },
        Refusal("a revoked key", .keyRevoked) {
            $0.header["kid"] = "\"revoked\""
            $0.signedWith = "revoked"
        },
        Refusal("another brand's key in its own name", .brandNotOfKey) {
            $0.header["kid"] = "\"other\""
            $0.signedWith = "other"
        },
        Refusal("another brand's name", .brandNotOfKey) { $0.claims["iss"] = "\"arcadia\"" },
        Refusal("a brand that there is not", .brandNotOfKey) { $0.claims["iss"] = "\"nobody\"" },
        Refusal("another key of the brand than kid says", .signatureInvalid) { $0.signedWith = "k2" },
        Refusal("another brand's key than kid says", .signatureInvalid) { $0.signedWith = "other" },
    ]

    static let claims = [
        Refusal("another audience", .audienceWrong) { $0.claims["aud"] = "\"apple-identityservices-v1\"" },
        Refusal("the audience in capitals", .audienceWrong) {
            $0.claims["aud"] = "\"Countersign-reader-v1\""
        },
        Refusal("an audience in an array", .malformed(.claims, .unexpectedType(expected: .string, at: 7))) {
            $0.claims["aud"] = "[\"\(ReaderToken.defaultAudience.text)\"]"
        },
        Refusal("several audiences", .malformed(.claims, .unexpectedType(expected: .string, at: 7))) {
            $0.claims["aud"] = "[\"\(ReaderToken.defaultAudience.text)\",\"x\"]"
        },
        Refusal("another instance", .instanceWrong) {
            $0.claims["sub"] = "\"f123456789abcdef0123456789abcdef\""
        },
        Refusal("no instance", .valueMalformed(.sub)) { $0.claims["sub"] = "\"\"" },
        Refusal(
            "an instance that is a number", .malformed(.claims, .unexpectedType(expected: .string, at: 86))
        ) {
            $0.claims["sub"] = "1"
        },
        Refusal("no exp", .malformed(.claims, .missingMember("exp", at: 0))) { $0.claims["exp"] = nil },
        Refusal("no iat", .malformed(.claims, .missingMember("iat", at: 0))) { $0.claims["iat"] = nil },
        Refusal("exp with a fraction", .malformed(.claims, .unexpectedType(expected: .integer, at: 37))) {
            $0.claims["exp"] = "\(TestAuthority.now + 300).0"
        },
        Refusal("exp in text", .malformed(.claims, .unexpectedType(expected: .integer, at: 37))) {
            $0.claims["exp"] = "\"\(TestAuthority.now + 300)\""
        },
        Refusal("exp in powers of ten", .malformed(.claims, .unexpectedType(expected: .integer, at: 37))) {
            $0.claims["exp"] = "1e9"
        },
        Refusal("exp long ago", .lifetimeNotPositive) { $0.claims["exp"] = "1" },
        Refusal("exp beyond the calendar", .valueMalformed(.exp)) {
            $0.claims["exp"] = "9223372036854775807"
        },
        Refusal("a claim that is none of ours", .malformed(.claims, .unknownMember(at: 80))) {
            $0.claims["jti"] = "\"1\""
        },
        Refusal("not before", .malformed(.claims, .unknownMember(at: 80))) { $0.claims["nbf"] = "1" },
        Refusal("exp twice", .malformed(.claims, .duplicateMember(at: 9))) {
            $0.claimsText = #"{"exp":1,"exp":2}"#
        },
    ]

    @Test("A token of another shape", arguments: shapes)
    func shape(_ refusal: Refusal) async throws { try await refuse(refusal) }

    @Test("A token with another header", arguments: headers)
    func header(_ refusal: Refusal) async throws { try await refuse(refusal) }

    @Test("A token of another signer", arguments: signers)
    func signer(_ refusal: Refusal) async throws { try await refuse(refusal) }

    @Test("A token with other claims", arguments: claims)
    func otherClaims(_ refusal: Refusal) async throws { try await refuse(refusal) }

    @Test("No character of a token can be another")
    func everyCharacter() async throws {
        let scene = try TokenScene()
        let text = Array(try TestToken().text())
        for index in text.indices {
            var changed = text
            changed[index] = text[index] == "A" ? "B" : "A"
            let error = await #expect(throws: ReaderTokensError.self, "\(index)") {
                try await scene.verifier.prepare(String(changed), at: TokenScene.now)
            }
            let part = [TokenPart.header, .claims, .signature][text[..<index].count { $0 == "." }]
            switch error {
            case .notThreeParts: #expect(text[index] == ".")
            case .notBase64URL(let named), .malformed(let named, _): #expect(named == part)
            case .algorithmNotES256, .typeNotJWT, .valueMalformed(.kid), .keyUnknown:
                #expect(part == .header)
            case .valueMalformed, .brandNotOfKey: #expect(part == .claims)
            case .signatureInvalid: break
            default: Issue.record("\(index): \(String(describing: error))")
            }
        }
        _ = try await scene.verifier.prepare(String(text), at: TokenScene.now)
    }

    @Test("The longest token is looked at, and one that is longer is not")
    func length() async throws {
        let scene = try TokenScene()
        func padded(_ spaces: Int) -> TestToken {
            TestToken { $0.claimsText = TestToken.object($0.claims) + String(repeating: " ", count: spaces) }
        }
        let bare = try padded(0).text().utf8.count
        let spaces = (ReaderToken.maximumLength - bare) / 4 * 3
        #expect(try padded(spaces).text().utf8.count > ReaderToken.maximumLength - 4)
        try await scene.prepare(padded(spaces))
        for more in [3, 1000] {
            await #expect(throws: ReaderTokensError.tooLong(limit: 2048)) {
                try await scene.prepare(padded(spaces + more))
            }
        }
    }
}

extension String {
    /// The text up to its last point, and that.
    fileprivate var withoutSignature: String { String(self[...(lastIndex(of: ".") ?? startIndex)]) }
}
