/// A record type of Connection Handover, TNEP or ISO/IEC 18013-5, 8.2.2.1.
package struct NDEFRecordType: Equatable, Sendable {
    let format: NDEFRecord.TypeNameFormat
    let name: [UInt8]

    init(_ format: NDEFRecord.TypeNameFormat, _ name: String) {
        self.format = format
        self.name = Array(name.utf8)
    }

    /// The Handover Select record (Connection Handover 1.5).
    package static let handoverSelect = Self(.wellKnown, "Hs")
    /// The Handover Request record (Connection Handover 1.5).
    package static let handoverRequest = Self(.wellKnown, "Hr")
    /// An alternative carrier inside a handover record (Connection Handover 1.5).
    package static let alternativeCarrier = Self(.wellKnown, "ac")
    /// A service that the tag offers (TNEP 1.0).
    package static let serviceParameter = Self(.wellKnown, "Tp")
    /// The service that the reader selects (TNEP 1.0).
    package static let serviceSelect = Self(.wellKnown, "Ts")
    /// The tag's status after a message of the reader (TNEP 1.0).
    package static let status = Self(.wellKnown, "Te")
    /// The DeviceEngagement as CBOR (ISO/IEC 18013-5, 8.2.2.1).
    package static let deviceEngagement = Self(.external, "iso.org:18013:deviceengagement")
    /// The ReaderEngagement as CBOR (ISO/IEC 18013-5, 8.2.2.1).
    package static let readerEngagement = Self(.external, "iso.org:18013:readerengagement")
    /// The NFC carrier (ISO/IEC 18013-5, 8.2.2.2).
    package static let nfcCarrier = Self(.external, "iso.org:18013:nfc")
    /// Bluetooth Low Energy out-of-band data (Bluetooth Secure Simple Pairing Using NFC).
    package static let bluetoothLE = Self(.media, "application/vnd.bluetooth.le.oob")
}
