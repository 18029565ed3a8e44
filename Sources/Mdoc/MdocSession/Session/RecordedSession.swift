package import CBOR
package import COSE
package import MdocModel

/// A session that took place earlier, opened again with the reader's ephemeral key (ISO/IEC 18013-5 9.1.1): the
/// first message of each side. Nothing can be sealed with it, so no nonce is used twice.
package struct RecordedSession: Sendable {
    package let transcript: SessionTranscript
    private let eReaderKey: COSEKeyPair
    private let eDeviceKey: COSEKey

    /// - Parameter eReaderKeyBytes: the public half of `eReaderKey` as it was sent.
    package init(
        engagement: DeviceEngagement, handover: Handover, eReaderKey: COSEKeyPair,
        sentAs eReaderKeyBytes: EncodedCBOR<COSEKey>
    ) {
        self.eReaderKey = eReaderKey
        eDeviceKey = engagement.eDeviceKey
        transcript = SessionTranscript(
            deviceEngagement: engagement.bytes, eReaderKey: eReaderKeyBytes, handover: handover)
    }

    /// The DeviceRequest that established the session.
    package func openRequest(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        try open(sealed, asReceivedBy: .device)
    }

    /// The DeviceResponse that answered the first request.
    package func openResponse(_ sealed: ArraySlice<UInt8>) throws(SessionError) -> [UInt8] {
        try open(sealed, asReceivedBy: .reader)
    }

    /// Both sides agree on one secret, so one private key opens what either received.
    private func open(
        _ sealed: ArraySlice<UInt8>, asReceivedBy side: SessionKeys.Side
    ) throws(SessionError) -> [UInt8] {
        var keys = try SessionKeys.derive(
            for: side, own: eReaderKey, peer: eDeviceKey, transcript: transcript)
        return try keys.open(sealed)
    }
}
