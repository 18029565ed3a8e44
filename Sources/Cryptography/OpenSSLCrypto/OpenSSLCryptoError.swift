internal import COpenSSL

/// The conditions under which this target refuses.
package enum OpenSSLCryptoError: Error, Equatable, Sendable {
    // Keys

    /// A coordinate, raw key or encoded point does not have the curve's size or form.
    case keyMalformed
    case pointNotOnCurve
    /// A private scalar is zero or not below the order of the curve.
    case scalarOutOfRange
    /// The key is of a kind or on a curve that no `Curve` names.
    case unsupportedKey
    /// Both keys of an agreement have to be on one curve that offers one.
    case curvesDoNotAgree
    /// The agreement gave no usable secret, as the all-zero value of a point of small order (RFC 7748, 6).
    case keyAgreementFailed
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
    case signatureMalformed
    /// The signature is well formed and does not verify.
    case signatureInvalid
    case unsupportedSignatureAlgorithm

    // Symmetric keys

    /// A symmetric key is neither 16 nor 32 bytes long.
    case keySizeWrong
    /// The tag does not fit ciphertext, key and nonce.
    case authenticationFailed
    /// All nonces of the key are used (2³² − 1 in a session), or an earlier message failed to open.
    case keySpent
    /// A message, a derived output or an argument is longer than its algorithm allows.
    case tooLong

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
        case .keyMalformed: "the key does not have the size or form of its curve"
        case .pointNotOnCurve: "the public key is not a point on its curve"
        case .scalarOutOfRange: "the private key is not in the range of its curve"
        case .unsupportedKey: "the key is of a kind or on a curve that is not supported"
        case .curvesDoNotAgree: "the two keys are not on one curve that offers key agreement"
        case .keyAgreementFailed: "the two keys give no usable shared secret"
        case .pemMalformed: "the text is not PEM of the expected kind"
        case .algorithmDoesNotFitKey: "the algorithm does not fit the key's curve"
        case .signatureMalformed: "the signature does not have the form of its algorithm"
        case .signatureInvalid: "the signature is not valid for these bytes and this key"
        case .authenticationFailed: "the ciphertext does not belong to this key, or was changed"
        case .unsupportedSignatureAlgorithm: "the signature algorithm is not supported"
        case .keySizeWrong: "the symmetric key does not have the right size"
        case .keySpent:
            "the session key cannot be used after its last message or a failure: start a new session"
        case .tooLong: "the input or output is longer than its algorithm allows"
        case .tpmProviderMissing:
            "OpenSSL has no provider for TPM 2.0 here: apt-get install tpm2-openssl"
        case .tpmUnreachable:
            "no TPM 2.0 answers: check that /dev/tpmrm0 exists and that this user is in the group tss; "
                + "TPM2OPENSSL_TCTI names another TPM"
        case .tpmRefused:
            "the TPM does not make or load the key: it is another TPM's, its curve is not supported, or the TPM is full"
        case .keyStaysInTPM:
            "the key stays in the TPM: it can sign, but cannot be read or used for anything else"
        case .openSSLFailed: "OpenSSL reported an error in the computation"
        }
    }
}
