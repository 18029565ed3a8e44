internal import ErrorMapping
internal import JSON
package import MdocModel
internal import OpenSSLCrypto

/// The common rules of reader tokens: JWS in compact form (RFC 7515 7.1) with ES256 (RFC 7518 3.4), and the
/// claims (RFC 7519) that tokens for readers on iOS contain too.
package enum ReaderToken {
    /// The claim `aud`, unless the operator configures another value.
    package static let defaultAudience = TokenText(checked: "countersign-reader-v1")
    /// The maximum size of a token in bytes: twice what the longest texts need.
    package static let maximumLength = 2048
    /// The maximum number of seconds from `iat` to `exp`.
    package static let longestLifetime: Int64 = 300
    /// The number of seconds that a reader's clock may be behind the signer's. A clock that is ahead needs no
    /// tolerance, because a token may be used for up to 300 seconds. No standard specifies this value.
    package static let clockSkew: Int64 = 60
    /// The number of seconds for which a token can be used again after its first use.
    package static let sessionLength: Int64 = 48 * 3600
    static let algorithm = "ES256"
    static let type = "JWT"
    static let signatureSize = 64
}

/// The claims of a token.
package struct ReaderTokenClaims: Hashable, Sendable {
    /// `iss`: the brand's identifier.
    package let brand: TokenText
    /// `sub`: the reader instance.
    package let instance: TokenText
    /// `aud`: the audience.
    package let audience: TokenText
    /// `iat`: the time of issue.
    package let issued: Timestamp
    /// `exp`: the time before which the token must be used for the first time.
    package let expires: Timestamp
}

/// A parsed reader token, whose signature and claims are not verified yet.
///
/// Header and claims have exactly the members that a reader token needs. Any other member is refused,
/// including critical extensions, keys, and addresses of keys (RFC 7515 4.1).
package struct UnverifiedReaderToken: Sendable {
    package let keyIdentifier: TokenText
    package let claims: ReaderTokenClaims
    /// The signed bytes: header and claims as they were received.
    let signingInput: [UInt8]
    /// The signature r‖s, 64 bytes.
    let signature: [UInt8]

    /// Parses a token in compact form. Verifies neither the signature nor the claims.
    package init(_ token: ArraySlice<UInt8>) throws(ReaderTokensError) {
        guard token.count <= ReaderToken.maximumLength else {
            throw .tooLong(limit: ReaderToken.maximumLength)
        }
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notThreeParts }
        keyIdentifier = try Self.keyIdentifier(inHeader: parts[0])
        claims = try ReaderTokenClaims(parts[1])
        signature = try Self.decode(parts[2], .signature)
        guard signature.count == ReaderToken.signatureSize else {
            throw .signatureMalformed(size: signature.count)
        }
        signingInput = Array(token[parts[0].startIndex..<parts[1].endIndex])
    }

    /// The SHA-256 of the signed bytes, which identifies the token. The digest does not cover the signature,
    /// because from every ECDSA signature (r, s) anyone can compute a second valid signature, (r, n − s). If
    /// the digest covered the signature, a used token with its second signature would count as unused.
    package var digest: [UInt8] { Digest(.sha256, of: signingInput[...]).bytes }

    /// Checks algorithm and type in the header, and returns the key identifier.
    private static func keyIdentifier(
        inHeader part: ArraySlice<UInt8>
    ) throws(ReaderTokensError) -> TokenText {
        let header = try TokenObject(part, .header, members: "alg", "kid", "typ")
        guard try header.string("alg") == ReaderToken.algorithm else { throw .algorithmNotES256 }
        guard try header.string("typ") == ReaderToken.type else { throw .typeNotJWT }
        return try header.text(.kid)
    }

    fileprivate static func decode(
        _ part: ArraySlice<UInt8>, _ kind: TokenPart
    ) throws(ReaderTokensError) -> [UInt8] {
        guard let bytes = Base64URL.decode(part) else { throw .notBase64URL(kind) }
        return bytes
    }
}

extension ReaderTokenClaims {
    fileprivate init(_ part: ArraySlice<UInt8>) throws(ReaderTokensError) {
        let claims = try TokenObject(part, .claims, members: "iss", "sub", "aud", "iat", "exp")
        brand = try claims.text(.iss)
        instance = try claims.text(.sub)
        audience = try claims.text(.aud)
        issued = try claims.instant(.iat)
        expires = try claims.instant(.exp)
    }
}

/// The JSON object in one part of a token.
private struct TokenObject {
    private let part: TokenPart
    private let members: JSONMembers

    init(_ text: ArraySlice<UInt8>, _ part: TokenPart, members names: String...) throws(ReaderTokensError) {
        let bytes = try UnverifiedReaderToken.decode(text, part)
        self.part = part
        members = try mapping(JSONItem.parse(bytes[...]).members(among: names), part.malformed)
    }

    func string(_ name: String) throws(ReaderTokensError) -> String {
        try mapping(members.required(name).string(), part.malformed)
    }

    func text(_ member: TokenMember) throws(ReaderTokensError) -> TokenText {
        guard let text = TokenText(try string(member.rawValue)) else { throw .valueMalformed(member) }
        return text
    }

    func instant(_ member: TokenMember) throws(ReaderTokensError) -> Timestamp {
        let seconds = try mapping(members.required(member.rawValue).integer(), part.malformed)
        guard let instant = Timestamp(received: seconds) else { throw .valueMalformed(member) }
        return instant
    }
}

extension TokenPart {
    fileprivate func malformed(_ error: JSONError) -> ReaderTokensError { .malformed(self, error) }
}
