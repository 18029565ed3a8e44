internal import COpenSSL

/// The reason why an operation of this module failed.
package enum OpenSSLCryptoError: Error, Equatable, Sendable {
    // Keys

    /// A coordinate, raw key or encoded point does not have the size or form of its curve.
    case keyMalformed
    case pointNotOnCurve
    /// A private scalar is zero or not below the order of the curve.
    case scalarOutOfRange
    /// The key's type or curve is not one of `Curve`, or this operation does not support it.
    case unsupportedKey
    /// The two keys of an agreement are on different curves, or on a curve without key agreement.
    case curvesDoNotAgree
    /// The key agreement has no usable result, for example zero from a point of small order (RFC 7748 6).
    case keyAgreementFailed
    case pemMalformed

    // The TPM

    /// OpenSSL has no provider for TPM 2.0 on this machine.
    case tpmProviderMissing
    /// The provider is installed but cannot reach a TPM.
    case tpmUnreachable
    /// The TPM does not create, load or use the key: the key belongs to another TPM, its curve is not
    /// supported, or the TPM is full.
    case tpmRefused
    /// The private half of the key is in the TPM and cannot be read.
    case keyStaysInTPM

    // Signatures

    /// The signature algorithm cannot be used with a key on this curve.
    case algorithmDoesNotFitKey
    /// The signature does not have the form that its algorithm requires.
    case signatureMalformed
    /// The signature is well-formed but does not verify.
    case signatureInvalid
    case unsupportedSignatureAlgorithm

    // Symmetric keys

    /// The symmetric key does not have 16 or 32 bytes.
    case keySizeWrong
    /// The input of a block cipher does not consist of whole blocks, or its initial vector is not one block.
    case blockSizeWrong
    /// The authentication tag is wrong for the ciphertext, the key and the nonce.
    case authenticationFailed
    /// All nonces of the key were used (2³² − 1 in a session), or an earlier message failed to open.
    case keySpent
    /// A message, an output or an argument is longer than the algorithm allows.
    case tooLong

    /// OpenSSL failed in an operation that does not depend on received data.
    case openSSLFailed
}

/// Returns `error` after emptying OpenSSL's error queue of this thread, so that later calls do not find old
/// entries.
func cleared(_ error: OpenSSLCryptoError) -> OpenSSLCryptoError {
    ERR_clear_error()
    return error
}

extension OpenSSLCryptoError {
    /// A text that describes the error.
    package var explanation: String {
        switch self {
        case .keyMalformed: "the key does not have the size or form that its curve requires"
        case .pointNotOnCurve: "the public key is not a point on its curve"
        case .scalarOutOfRange: "the private key is not in the range of its curve"
        case .unsupportedKey: "the key is of a kind or on a curve that is not supported"
        case .curvesDoNotAgree:
            "the two keys must be on the same curve, and that curve must offer key agreement"
        case .keyAgreementFailed: "the two keys give no usable shared secret"
        case .pemMalformed: "the text is not PEM of the expected kind"
        case .algorithmDoesNotFitKey: "the algorithm does not fit the key's curve"
        case .signatureMalformed: "the signature does not have the form that its algorithm requires"
        case .signatureInvalid: "the signature is not valid for these bytes and this key"
        case .authenticationFailed: "the ciphertext does not belong to this key, or was changed"
        case .unsupportedSignatureAlgorithm: "the signature algorithm is not supported"
        case .keySizeWrong: "the symmetric key does not have the right size"
        case .blockSizeWrong: "the input or the initial vector does not have the size of the cipher's blocks"
        case .keySpent:
            "the session key was used after the session's last message or after a failure: start a new session"
        case .tooLong: "the input or output is longer than the algorithm allows"
        case .tpmProviderMissing:
            "OpenSSL has no provider for TPM 2.0 on this computer: run apt-get install tpm2-openssl"
        case .tpmUnreachable:
            "no TPM 2.0 answers: check that /dev/tpmrm0 exists and that this user is in the group tss; "
                + "to use another TPM, name it in the environment variable TPM2OPENSSL_TCTI"
        case .tpmRefused:
            "the TPM does not make or load the key: it belongs to another TPM, its curve is not supported, or the TPM is full"
        case .keyStaysInTPM:
            "the key is in the TPM, which uses it but never exports it"
        case .openSSLFailed: "OpenSSL reported an error in the computation"
        }
    }
}
