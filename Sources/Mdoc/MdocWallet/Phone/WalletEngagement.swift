package import COSE
package import MdocModel

/// What engaged one session: the engagement's bytes, how it reached the reader, and the key behind it.
package struct WalletEngagement: Sendable {
    /// Counts the engagements of the phone.
    package let number: Int
    package let deviceEngagement: [UInt8]
    package let handover: Handover
    package let eDeviceKey: COSEKeyPair

    /// The text of a QR code with this engagement.
    package var uri: String { EngagementURI.text(for: deviceEngagement) }
}
