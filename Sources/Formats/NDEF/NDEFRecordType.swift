/// The record types of Connection Handover, TNEP and ISO/IEC 18013-5, 8.2.2.1.
package struct NDEFRecordType: Equatable, Sendable {
    let format: NDEFRecord.TypeNameFormat
    let name: [UInt8]

    init(_ format: NDEFRecord.TypeNameFormat, _ name: String) {
        self.format = format
        self.name = Array(name.utf8)
    }

    /// Connection Handover 1.5: the Handover Select record.
    package static let handoverSelect = Self(.wellKnown, "Hs")
    /// Connection Handover 1.5: the Handover Request record.
    package static let handoverRequest = Self(.wellKnown, "Hr")
    /// Connection Handover 1.5: an alternative carrier, inside a handover record.
    package static let alternativeCarrier = Self(.wellKnown, "ac")
    /// TNEP 1.0: a service the tag offers.
    package static let serviceParameter = Self(.wellKnown, "Tp")
    /// TNEP 1.0: the service the reader selects.
    package static let serviceSelect = Self(.wellKnown, "Ts")
    /// TNEP 1.0: the status of the last step.
    package static let status = Self(.wellKnown, "Te")
    /// ISO/IEC 18013-5, 8.2.2.1: DeviceEngagement as CBOR.
    package static let deviceEngagement = Self(.external, "iso.org:18013:deviceengagement")
    /// ISO/IEC 18013-5, 8.2.2.1: ReaderEngagement as CBOR.
    package static let readerEngagement = Self(.external, "iso.org:18013:readerengagement")
    /// ISO/IEC 18013-5, 8.2.2.2: NFC as the carrier.
    package static let nfcCarrier = Self(.external, "iso.org:18013:nfc")
    /// Bluetooth Secure Simple Pairing Using NFC: Bluetooth Low Energy out-of-band data.
    package static let bluetoothLE = Self(.media, "application/vnd.bluetooth.le.oob")
}
