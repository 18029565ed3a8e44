package import NDEF

/// A carrier of a completed handover.
package enum NFCHandoverCarrier: Equatable, Sendable {
    case nfc(NFCCarrier)
    case bluetoothLE(NFCBluetoothLECarrier)
    /// A record of `count` payload bytes that cannot be read, or lacks the UUID it needs (Q32).
    case unreadable(HandoverCarrier.Kind, count: Int)
}
