package import JSON
package import MdocModel
package import OpenSSLCrypto
package import ReaderStore

/// Why a reader token is not believed, or not made.
package enum ReaderTokensError: Error, Equatable, Sendable {
    // Its shape

    /// Longer than any token of ours, in bytes.
    case tooLong(limit: Int)
    /// Not three parts with a point between them (RFC 7515 7.1).
    case notThreeParts
    /// A part is not base64url without padding.
    case notBase64URL(TokenPart)
    /// A part is not the one JSON object it has to be: with each of its members once, of its type, and no others.
    case misshapen(TokenPart, JSONError)
    /// A member is no text that names anything (`TokenText`), or no instant of the years 0 to 9999.
    case valueMisshapen(TokenMember)
    /// Not the 64 bytes r‖s of ES256 (RFC 7518 3.4): DER, for instance.
    case signatureMisshapen(size: Int)

    // Its header

    /// `typ` is not `JWT`.
    case typeNotJWT
    /// `alg` is not `ES256`.
    case algorithmNotES256

    // Who signed it

    /// No brand has a key with this `kid`.
    case keyUnknown
    case keyRevoked
    /// The key was to be used until this instant.
    case keyExpired(since: Timestamp)
    /// `iss` is not the brand whose key `kid` is.
    case brandNotOfKey
    case signatureInvalid

    // What it is for, and when

    /// `aud` is another audience.
    case audienceWrong
    /// `sub` is another reader instance.
    case instanceWrong
    /// `iat` lies ahead by more than `ReaderToken.clockSkew`.
    case issuedInFuture
    /// `exp` does not lie after `iat`.
    case lifetimeNotPositive
    /// `exp` lies more than `ReaderToken.longestLifetime` after `iat`.
    case lifetimeTooLong
    /// First used at `exp` or after it.
    case expired(since: Timestamp)
    /// First used more than `ReaderToken.sessionLength` ago.
    case sessionExpired(since: Timestamp)
    /// When it was first used can be neither read nor remembered.
    case firstUseUnknown(ReaderStoreError)

    // Making one

    /// The file holds no private key that can be used.
    case signingKeyUnusable(OpenSSLCryptoError)
    /// The private key is not on P-256.
    case signingKeyNotP256
    /// What was signed does not verify with the brand's public key, or could not be signed.
    case signingFailed
}

package enum TokenPart: String, Hashable, Sendable { case header, claims, signature }

/// The members of a token, by their names in it.
package enum TokenMember: String, Hashable, Sendable { case kid, iss, sub, aud, iat, exp }
