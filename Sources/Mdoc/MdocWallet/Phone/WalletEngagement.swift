package import COSE
package import MdocModel

/// What engaged one session: the engagement's bytes, how it reached the reader, and the key behind it.
package struct WalletEngagement: Sendable {
    package let deviceEngagement: [UInt8]
    package let handover: Handover
    package let eDeviceKey: COSEKeyPair
}
