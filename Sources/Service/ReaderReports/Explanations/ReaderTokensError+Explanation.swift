package import JSON
package import ReaderTokens

extension ReaderTokensError {
    /// As reports name it.
    package var id: String {
        switch self {
        case .tooLong: "token.too_long"
        case .notThreeParts, .notBase64URL, .misshapen, .valueMisshapen: "token.misshapen"
        case .signatureMisshapen: "token.signature_misshapen"
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
        case .signingKeyUnusable, .signingKeyNotP256: "token.signing_key"
        case .signingFailed: "token.signing_failed"
        }
    }

    /// In plain words: what is, and what to do.
    package var explanation: String {
        switch self {
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .notThreeParts: "it is no JWT: header, claims and signature with points between them"
        case .notBase64URL(let part): "its \(part.rawValue) is not base64url without padding"
        case .misshapen(let part, let error): "its \(part.rawValue): \(error.explanation)"
        case .valueMisshapen(let member): "\(member.rawValue) is nothing that can stand there"
        case .signatureMisshapen(let size):
            "its signature has \(size) bytes: ES256 has 64, r and s one after the other, and not DER"
        case .typeNotJWT: "typ is not JWT"
        case .algorithmNotES256: "alg is not ES256, and no other is taken"
        case .keyUnknown: "no brand has the key that kid names: countersign brand list"
        case .keyRevoked: "the key that kid names was revoked"
        case .keyExpired(let since): "the key that kid names was to be used until \(since)"
        case .brandNotOfKey: "iss is not the brand whose key kid names"
        case .signatureInvalid: "its signature does not verify"
        case .audienceWrong: "aud is another audience"
        case .instanceWrong: "sub is another reader: countersign token instance shows this one"
        case .issuedInFuture: "it was issued in the future: are the clocks of signer and reader right?"
        case .lifetimeNotPositive: "exp is not after iat"
        case .lifetimeTooLong: "exp is more than \(ReaderToken.longestLifetime) seconds after iat"
        case .expired(let since): "it expired at \(since), and was not used before: ask for another"
        case .sessionExpired(let since):
            "48 hours after its first use were over at \(since): ask for another and prepare again"
        case .firstUseUnknown: "when it was first used can neither be read nor remembered"
        case .signingKeyUnusable(let error): "the key cannot be used: \(error.explanation)"
        case .signingKeyNotP256: "the key is not on P-256, on which alone ES256 is"
        case .signingFailed: "it could not be signed"
        }
    }
}

extension JSONError {
    /// In plain words, with the byte it happened at.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the text ends inside a value (byte \(offset))"
        case .trailingBytes(let offset): "something follows the value (byte \(offset))"
        case .unexpectedByte(let offset): "no JSON (byte \(offset))"
        case .numberMisshapen(let offset): "a number with a leading zero (byte \(offset))"
        case .stringMisshapen(let offset): "a string with what cannot be in one (byte \(offset))"
        case .invalidUTF8(let offset): "a string that is not UTF-8 (byte \(offset))"
        case .duplicateMember(let offset): "a member that stands twice (byte \(offset))"
        case .tooDeep(let offset): "values nest too deeply (byte \(offset))"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .unexpectedType(let expected, let offset): "\(expected.name) was due at byte \(offset)"
        case .missingMember(let name, let offset): "\"\(name)\" is missing from the object at byte \(offset)"
        case .unknownMember(let offset): "a member that has no place there (byte \(offset))"
        }
    }
}

extension JSONType {
    fileprivate var name: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "true or false"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
