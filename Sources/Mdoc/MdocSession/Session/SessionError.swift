package import MdocModel
package import OpenSSLCrypto

/// Why a session cannot be set up or cannot continue (ISO/IEC 18013-5 9.1.1).
package enum SessionError: Error, Equatable, Sendable {
    /// The mdoc's ephemeral key is on another curve than the reader's, or no point of it (Q48).
    case keyAgreementFailed
    /// A message that is not the expected structure.
    case malformed(MdocModelError)
    /// The message does not decrypt: wrong key, wrong counter or changed bytes. One error for all (Q199).
    case decryptionFailed
    /// A message after the session ended, or an unexpected one in this phase.
    case unexpectedMessage
    /// OpenSSL reported an error in the computation.
    case cryptography(OpenSSLCryptoError)
}

extension SessionError {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .keyAgreementFailed: "the ephemeral keys of reader and phone cannot be used together"
        case .malformed(let error): error.explanation
        case .decryptionFailed:
            "the message does not decrypt: it was made with other keys or another transcript, or was changed"
        case .unexpectedMessage: "the phone sent an unexpected message"
        case .cryptography(let error): error.explanation
        }
    }
}
