internal import COpenSSL

/// The conditions under which this target refuses. Offsets count from the start of the received buffer.
package enum OpenSSLCryptoError: Error, Equatable, Sendable {
    // Keys

    /// A coordinate, raw key or encoded point does not have the curve's size or form.
    case keyMalformed
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
    case pemMalformed

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
    case signatureMalformed
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
    case valueMalformed(at: Int)

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
    /// The CRL has no nextUpdate.
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

extension OpenSSLCryptoError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .keyMalformed, .pointNotOnCurve, .scalarOutOfRange: "the key is not valid on its curve"
        case .unsupportedKey: "the key is of a kind or on a curve that is not supported"
        case .curvesDoNotAgree, .keyAgreementFailed: "the two keys do not agree on a secret"
        case .pemMalformed: "it is not PEM of the kind looked for"
        case .algorithmDoesNotFitKey: "the algorithm does not fit the key's curve"
        case .signatureMalformed: "the signature has not the form of its algorithm"
        case .signatureInvalid, .authenticationFailed: "it does not verify"
        case .unsupportedSignatureAlgorithm: "the signature algorithm is not supported"
        case .keySizeWrong, .keySpent: "the session key cannot be used"
        case .tooLong: "it is longer than allowed"
        case .truncated(let offset): "the DER ends inside an element (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the DER (byte \(offset))"
        case .unexpectedTag(let offset): "expected another DER element at byte \(offset)"
        case .lengthNotDistinguished(let offset): "a length at byte \(offset) is not DER"
        case .nestedTooDeeply(let offset): "DER elements nest too deeply (byte \(offset))"
        case .valueMalformed(let offset): "the element at byte \(offset) is not DER of its type"
        case .certificateVersionWrong: "the certificate's version is unknown or does not fit its fields"
        case .signatureAlgorithmsDiffer: "the certificate names two different signature algorithms"
        case .duplicateExtension(let offset): "an extension stands twice (byte \(offset))"
        case .limitExceeded(let offset): "it exceeds a limit of this reader (byte \(offset))"
        case .crlVersionWrong: "the CRL is not of version 2"
        case .crlNextUpdateMissing: "the CRL has no nextUpdate"
        case .deltaCRL: "it lists only changes to another CRL"
        case .indirectCRL: "it lists certificates of other issuers"
        case .crlOfOtherScope: "it does not list every document signer and reason"
        case .unknownCriticalExtension(let oid): "it has an unknown critical extension, \(oid)"
        case .tpmProviderMissing:
            "OpenSSL has no provider for TPM 2.0 here: apt install tpm2-openssl"
        case .tpmUnreachable:
            "no TPM 2.0 answers: is there one (/dev/tpmrm0), and may you use it (group tss)? "
                + "TPM2OPENSSL_TCTI names another"
        case .tpmRefused:
            "the TPM does not make or load the key: another TPM's, a curve it lacks, or no room"
        case .keyStaysInTPM: "the key stays in the TPM, which signs with it and does nothing else"
        case .openSSLFailed: "OpenSSL could not carry out the computation"
        }
    }

    /// Where in the bytes it went wrong.
    package var offset: Int? {
        switch self {
        case .truncated(let offset), .trailingBytes(let offset), .unexpectedTag(let offset),
            .lengthNotDistinguished(let offset), .nestedTooDeeply(let offset), .valueMalformed(let offset),
            .duplicateExtension(let offset), .limitExceeded(let offset):
            offset
        default: nil
        }
    }
}
