package import OpenSSLCrypto

/// The reason why a COSE object (RFC 9052) is refused.
package enum COSEError: Error, Equatable, Sendable {
    /// The bytes do not have the form that RFC 9052 requires for this structure: an array with header maps
    /// and byte strings.
    case malformed(COSEStructure)
    /// A label occurs in both headers (RFC 9052 3).
    case labelInBothHeaders(Int64)
    case textLabelInBothHeaders
    case algorithmMissing
    /// The algorithm is not allowed in this structure, or does not fit the key's curve.
    case algorithmNotAllowed(Int64)
    /// The header `crit` (label 2) is present. This module understands no critical header.
    case criticalHeaderNotUnderstood
    /// The payload is missing but must be embedded, or is embedded but must be detached.
    case payloadMisplaced
    /// The key's type or curve is not supported, or its point is not on the curve.
    case keyNotUsable
    /// A coordinate has fewer bytes than the curve needs: its leading zero bytes are missing (RFC 9053 7.1.1,
    /// Q218).
    case coordinateTooShort(count: Int, size: Int)
    /// The key includes its private part, but only a public key is allowed.
    case privateKeyPresent
    /// The header x5chain is missing, empty or malformed (RFC 9360 2).
    case certificateChainMalformed
    /// The signature or tag is wrong for these bytes and this key.
    case signatureInvalid
    case signatureMalformed
    /// OpenSSL reported an error in the computation.
    case cryptography(OpenSSLCryptoError)
}

/// The structures of RFC 9052 that ISO/IEC 18013-5 uses.
package enum COSEStructure: Equatable, Sendable {
    case sign1, mac0, key
}

extension COSEError {
    /// A text that describes the error.
    package var explanation: String {
        switch self {
        case .malformed(.sign1): "the signature is not a COSE_Sign1"
        case .malformed(.mac0): "the MAC is not a COSE_Mac0"
        case .malformed(.key): "the key is not a COSE_Key"
        case .labelInBothHeaders(let label):
            "header \(label) is in both the protected and the unprotected headers"
        case .textLabelInBothHeaders: "a header is in both the protected and the unprotected headers"
        case .algorithmMissing: "the protected header names no algorithm"
        case .algorithmNotAllowed(let identifier):
            "algorithm \(identifier) is not allowed here or with this key"
        case .criticalHeaderNotUnderstood: "a critical header is not understood"
        case .payloadMisplaced:
            "the payload is missing where it must be embedded, or embedded where it must be detached"
        case .keyNotUsable: "the key is not valid on its curve, or its type is not supported"
        case .coordinateTooShort(let count, let size):
            "a coordinate of the key has \(count) bytes instead of \(size): the issuer left out leading zero bytes,"
                + " which RFC 9053 forbids"
        case .privateKeyPresent: "the key contains its private part, where only a public key is allowed"
        case .certificateChainMalformed: "the issuer's certificate (x5chain) is missing or malformed"
        case .signatureInvalid: "the signature or MAC is not valid for these bytes and this key"
        case .signatureMalformed:
            "the signature or MAC does not have the size or form that its algorithm requires"
        case .cryptography(let error): error.explanation
        }
    }
}
