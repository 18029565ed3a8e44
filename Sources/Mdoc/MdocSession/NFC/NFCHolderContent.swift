package import NDEF

/// What a phone brings into an NFC engagement.
package struct NFCHolderContent: Sendable {
    /// DeviceEngagement as CBOR, opaque here.
    package var deviceEngagement: [UInt8]
    /// The carriers the phone knows, the preferred one first.
    package var carriers: [HandoverCarrier]

    package init(deviceEngagement: [UInt8], carriers: [HandoverCarrier]) {
        self.deviceEngagement = deviceEngagement
        self.carriers = carriers
    }
}
