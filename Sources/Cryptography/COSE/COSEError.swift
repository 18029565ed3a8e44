package import OpenSSLCrypto

/// Why a COSE object (RFC 9052) is not accepted.
package enum COSEError: Error, Equatable, Sendable {
    /// Not the array, header maps or strings that the structure consists of.
    case misshapen(COSEStructure)
    /// The same label in both headers (RFC 9052 3).
    case labelInBothHeaders(Int64)
    /// The same label, a text, in both headers.
    case textLabelInBothHeaders
    /// No algorithm in the protected header.
    case algorithmMissing
    /// An algorithm this structure does not take, or that does not fit the key's curve.
    case algorithmNotAllowed(Int64)
    /// A critical header (label 2) that is not understood.
    case criticalHeaderNotUnderstood
    /// The payload is absent where it must be embedded, or embedded where it must be detached.
    case payloadMisplaced
    /// A key type, curve or coordinate that is not supported or not right.
    case keyNotUsable
    /// A key that carries its private part where only a public key belongs.
    case privateKeyPresent
    /// An x5chain that holds no certificate, or is none (RFC 9360).
    case certificateChainMisshapen
    /// The signature or tag does not belong to these bytes and this key.
    case signatureInvalid
    /// The signature has not the size or form of its algorithm.
    case signatureMisshapen
    /// OpenSSL could not carry out the computation.
    case cryptography(OpenSSLCryptoError)
}

/// The structures of RFC 9052 that ISO/IEC 18013-5 uses.
package enum COSEStructure: Equatable, Sendable {
    case sign1, mac0, key
}
