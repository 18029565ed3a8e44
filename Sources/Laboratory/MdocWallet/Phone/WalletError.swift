package import MdocSession
package import OpenSSLCrypto
package import WalletPresentation

/// Why a wallet cannot be set up or a case not be written.
package enum WalletError: Error, Equatable, Sendable {
    case handoverNotInProfile(HandoverKind)
    /// The engagement in memory did not reach a handover.
    case engagementFailed(NFCEndReason)
    case session(SessionError)
    /// The request is not answered.
    case holder(HolderError)
    /// The request of an app or a page is malformed.
    case presentation(WalletPresentationError)
    case cryptography(OpenSSLCryptoError)
}
