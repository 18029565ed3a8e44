package import MdocModel
package import OpenSSLCrypto

/// A reason that a session cannot be set up or cannot continue (ISO/IEC 18013-5 9.1.1).
package enum SessionError: Error, Equatable, Sendable {
    /// The mdoc's ephemeral key is on another curve than the reader's key, or is not a point of that curve
    /// (Q48).
    case keyAgreementFailed
    /// A message does not have the expected structure.
    case malformed(MdocModelError)
    /// A message does not decrypt. The cause may be a wrong key, a wrong counter or changed bytes. This error
    /// covers all of these causes (Q199).
    case decryptionFailed
    /// A message came after the session ended, or in a phase in which no message is expected.
    case unexpectedMessage
    /// OpenSSL reported an error in the computation.
    case cryptography(OpenSSLCryptoError)
}

extension SessionError {
    /// The error as a text for people.
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
