internal import COpenSSL

/// The conditions under which this target refuses. Offsets count from the start of the received buffer.
package enum OpenSSLCryptoError: Error, Equatable, Sendable {
    // Keys

    /// A coordinate, raw key or encoded point does not have the curve's size or form.
    case keyMisshapen
    /// The numbers name no point of the curve.
    case pointNotOnCurve
    /// A private scalar is zero or not below the order of the curve.
    case scalarOutOfRange
    /// The key is of a kind or on a curve that no `Curve` names.
    case unsupportedKey
    /// Both keys of an agreement have to be on one curve that offers one.
    case curvesDoNotAgree
    /// The agreement gave no usable secret, as the all-zero value of a point of small order (RFC 7748, 6).
    case keyAgreementFailed
    /// The text is no PEM of the kind looked for.
    case pemMisshapen

    // The TPM

    /// OpenSSL has no provider for TPM 2.0 on this machine.
    case tpmProviderMissing
    /// The provider is there, and reaches no TPM.
    case tpmUnreachable
    /// The TPM does not make, load or use the key: another TPM's, a curve it lacks, or no room.
    case tpmRefused
    /// The TPM signs with its keys and does nothing else here.
    case keyStaysInTPM

    // Signatures

    /// The signature algorithm cannot be used with a key on this curve.
    case algorithmDoesNotFitKey
    /// The signature has the wrong length or is not DER.
    case signatureMisshapen
    /// The signature is well formed and does not verify.
    case signatureInvalid
    /// The signature algorithm is none that this target knows.
    case unsupportedSignatureAlgorithm

    // Symmetric keys

    /// A symmetric key is neither 16 nor 32 bytes long, or a pre-shared key has fewer than 32.
    case keySizeWrong
    /// The tag does not fit ciphertext, key and nonce.
    case authenticationFailed
    /// All nonces of the key are used (2³² − 1 in a session), or an earlier message failed to open.
    case keySpent
    /// A message, a derived output or an argument is longer than its algorithm allows.
    case tooLong

    // DER (X.690)

    /// The encoding ends inside an element.
    case truncated(at: Int)
    /// Bytes are left over after the last element.
    case trailingBytes(at: Int)
    /// An element has another tag than its place asks for.
    case unexpectedTag(at: Int)
    /// A length is indefinite, or not in its shortest form.
    case lengthNotDistinguished(at: Int)
    /// Constructed elements nest deeper than `DERReader.maximumDepth`.
    case nestedTooDeeply(at: Int)
    /// The contents of an element are not a distinguished encoding of its type.
    case valueMisshapen(at: Int)

    // X.509 (RFC 5280)

    /// The version is none of v1, v2 and v3, or its fields do not belong to it.
    case certificateVersionWrong
    /// The signature algorithm inside the signed part is another than outside (RFC 5280, 4.1.1.2).
    case signatureAlgorithmsDiffer
    /// An extension stands twice (RFC 5280, 4.2).
    case duplicateExtension(at: Int)
    /// A list or a certificate exceeds the limit of this parser.
    case limitExceeded(at: Int)

    // CRLs (RFC 5280, 5)

    /// The version of the CRL is none of v1 and v2, or v1, which says too little.
    case crlVersionWrong
    /// The CRL does not say when the next one is due.
    case crlNextUpdateMissing
    /// The CRL lists changes to another one.
    case deltaCRL
    /// The CRL lists certificates of other issuers.
    case indirectCRL
    /// The CRL leaves out document signers or reasons.
    case crlOfOtherScope
    /// A critical extension of a CRL or of an entry that is not understood.
    case unknownCriticalExtension(ObjectIdentifier)

    /// OpenSSL refused an operation that does not depend on what was received.
    case openSSLFailed
}

/// The error to throw after a failed call: takes what OpenSSL queued for this thread out of its queue.
func cleared(_ error: OpenSSLCryptoError) -> OpenSSLCryptoError {
    ERR_clear_error()
    return error
}
