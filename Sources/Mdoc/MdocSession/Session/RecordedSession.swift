package import CBOR
package import COSE
package import MdocModel

/// A recorded session, which is decrypted again with the reader's ephemeral key (ISO/IEC 18013-5 9.1.1).
///
/// The first message of each side can be opened. No message can be sealed, so no nonce is used twice.
package struct RecordedSession: Sendable {
    package let transcript: SessionTranscript
    private let eReaderKey: COSEKeyPair
    private let eDeviceKey: COSEKey

    /// Creates the session from its recorded engagement and the reader's key.
    ///
    /// - Parameter eReaderKeyBytes: the public half of `eReaderKey`, encoded exactly as it was sent.
    package init(
        engagement: DeviceEngagement, handover: Handover, eReaderKey: COSEKeyPair,
        sentAs eReaderKeyBytes: EncodedCBOR<COSEKey>
    ) {
        self.eReaderKey = eReaderKey
        eDeviceKey = engagement.eDeviceKey
        transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: eReaderKeyBytes, handover: handover)
    }

    /// Decrypts the DeviceRequest that established the session.
    package func openRequest(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        try open(sealed, asReceivedBy: .device)
    }

    /// Decrypts the DeviceResponse that answered the first request.
    package func openResponse(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        try open(sealed, asReceivedBy: .reader)
    }

    /// Decrypts a message. Both sides derive the same two keys, so the reader's private key opens the
    /// messages of either side.
    private func open(
        _ sealed: ArraySlice<UInt8>, asReceivedBy side: SessionKeys.Side
    ) throws(SessionError) -> [UInt8] {
        var keys = try SessionKeys.derive(
            for: side, own: eReaderKey, peer: eDeviceKey, transcript: transcript)
        return try keys.open(sealed)
    }
}
