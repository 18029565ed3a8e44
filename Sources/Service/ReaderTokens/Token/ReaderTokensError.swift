package import JSON
package import MdocModel
package import ReaderStore

/// The reason why a token is refused, or cannot be issued.
package enum ReaderTokensError: Error, Equatable, Sendable {
    // Form

    /// The token is longer than `limit` bytes.
    case tooLong(limit: Int)
    /// The token does not have three parts separated by dots (RFC 7515 7.1).
    case notThreeParts
    /// A part is not base64url without padding.
    case notBase64URL(TokenPart)
    /// A part is not the expected JSON object: a member is missing, repeated, unknown, or of the wrong type.
    case malformed(TokenPart, JSONError)
    /// A member is not a valid name (`TokenText`), or not an instant in the years 0 to 9999.
    case valueMalformed(TokenMember)
    /// The signature does not have the form of ES256: the 64 bytes r‖s (RFC 7518 3.4). The signature may be
    /// in DER, for example.
    case signatureMalformed(size: Int)

    // Header

    case typeNotJWT
    /// `alg` is not `ES256`.
    case algorithmNotES256

    // Key and signature

    case keyUnknown
    case keyRevoked
    /// The key expired at this instant.
    case keyExpired(since: Timestamp)
    /// `kid` names a key that does not belong to the brand in `iss`.
    case brandNotOfKey
    case signatureInvalid

    // Claims

    /// `aud` is not the audience of this reader.
    case audienceWrong
    /// `sub` is not the identifier of this reader.
    case instanceWrong
    /// `iat` is more than `ReaderToken.clockSkew` in the future.
    case issuedInFuture
    /// `exp` is not after `iat`.
    case lifetimeNotPositive
    /// `exp` is more than `ReaderToken.longestLifetime` after `iat`.
    case lifetimeTooLong
    /// The token expired before its first use.
    case expired(since: Timestamp)
    /// The first use was more than `ReaderToken.sessionLength` ago.
    case sessionExpired(since: Timestamp)
    /// The time of the first use can be neither read nor recorded.
    case firstUseUnknown(ReaderStoreError)

    // Issuing

    /// The private key is not on P-256.
    case signingKeyNotP256
    /// The token could not be signed, or does not verify with the brand's public key.
    case signingFailed
    /// The hub issued no token, for the reason in the text.
    case hubUnavailable(String)
}

/// A part of a token.
package enum TokenPart: String, Hashable, Sendable { case header, claims, signature }

/// A header member or claim whose value must be a `TokenText` or an instant.
package enum TokenMember: String, Hashable, Sendable { case kid, iss, sub, aud, iat, exp }

extension ReaderTokensError {
    /// The stable id of the error, as it appears in reports.
    package var id: String {
        switch self {
        case .tooLong: "token.too_long"
        case .notThreeParts, .notBase64URL, .malformed, .valueMalformed: "token.malformed"
        case .signatureMalformed: "token.signature_malformed"
        case .typeNotJWT: "token.type"
        case .algorithmNotES256: "token.algorithm"
        case .keyUnknown: "token.key_unknown"
        case .keyRevoked: "token.key_revoked"
        case .keyExpired: "token.key_expired"
        case .brandNotOfKey: "token.brand"
        case .signatureInvalid: "token.signature_invalid"
        case .audienceWrong: "token.audience"
        case .instanceWrong: "token.instance"
        case .issuedInFuture: "token.issued_in_future"
        case .lifetimeNotPositive, .lifetimeTooLong: "token.lifetime"
        case .expired: "token.expired"
        case .sessionExpired: "token.session_expired"
        case .firstUseUnknown: "token.first_use_unknown"
        case .signingKeyNotP256: "token.signing_key"
        case .signingFailed: "token.signing_failed"
        case .hubUnavailable: "token.hub_unavailable"
        }
    }

    /// A text that says what is wrong, and what to do.
    package var explanation: String {
        switch self {
        case .tooLong(let limit): "the token is longer than \(limit) bytes"
        case .notThreeParts: "the token is not a JWT: header, claims and signature, separated by dots"
        case .notBase64URL(let part): "the token's \(part.rawValue) must be base64url without padding"
        case .malformed(let part, let error): "the token's \(part.rawValue): \(error.explanation)"
        case .valueMalformed(let member): "\(member.rawValue) does not have a valid value"
        case .signatureMalformed(let size):
            "the token's signature has \(size) bytes: ES256 requires 64 bytes, r followed by s, not DER"
        case .typeNotJWT: "the value of \"typ\" is not JWT"
        case .algorithmNotES256: "the value of \"alg\" is not ES256, the only algorithm that is accepted"
        case .keyUnknown: "no brand has the key that \"kid\" names: countersign brand list shows the keys"
        case .keyRevoked: "the key that \"kid\" names was revoked"
        case .keyExpired(let since): "the key that \"kid\" names expired at \(since)"
        case .brandNotOfKey: "the key that \"kid\" names does not belong to the brand that \"iss\" names"
        case .signatureInvalid: "the token's signature does not verify"
        case .audienceWrong: "\"aud\" is not the audience of this reader"
        case .instanceWrong:
            "\"sub\" names another reader: countersign token instance shows the identifier of this reader"
        case .issuedInFuture:
            "the token was issued in the future: check the clocks of the signer and of this reader"
        case .lifetimeNotPositive: "\"exp\" is not after \"iat\""
        case .lifetimeTooLong: "\"exp\" is more than \(ReaderToken.longestLifetime) seconds after \"iat\""
        case .expired(let since): "the token expired at \(since), before its first use: get a new token"
        case .sessionExpired(let since):
            "the token's 48 hours from its first use ended at \(since): get a new token and prepare again"
        case .firstUseUnknown:
            "the token's first use can be neither read nor stored: check the store (countersign doctor)"
        case .signingKeyNotP256: "the key is not on P-256, which ES256 requires"
        case .signingFailed: "the token could not be signed: OpenSSL reported an error"
        case .hubUnavailable(let why): why
        }
    }
}
