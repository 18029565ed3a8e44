package import NDEF

/// What an NFC engagement yields.
package struct NFCHandover: Equatable, Sendable {
    /// The complete Handover Select message as read, for the session transcript.
    package let handoverSelect: [UInt8]
    /// The complete Handover Request message as written, or nil after static handover.
    package let handoverRequest: [UInt8]?
    /// The DeviceEngagement, a slice of `handoverSelect`.
    package let deviceEngagement: ArraySlice<UInt8>
    /// The usable carriers in the phone's order, and those that could not be read; at least one is usable.
    package let carriers: [NFCHandoverCarrier]
    /// Whether the phone refused NLEN and message in one write; worth remembering for it (Q23).
    package let mergedWriteRefused: Bool
}

/// A carrier of a completed handover.
package enum NFCHandoverCarrier: Equatable, Sendable {
    case nfc(NFCCarrier)
    case bluetoothLE(NFCBluetoothLECarrier)
    /// A record of `count` payload bytes that cannot be read, or lacks the UUID it needs (Q32).
    case unreadable(HandoverCarrier.Kind, count: Int)
}

/// Bluetooth Low Energy as the handover settled it: the modes both sides know and the UUID of each.
package struct NFCBluetoothLECarrier: Equatable, Sendable {
    /// The phone's record as it came.
    package let outOfBand: BluetoothLEOutOfBand
    /// The UUID the phone advertises, when mdoc peripheral server mode can be used.
    package let peripheralServerUUID: BluetoothUUID?
    /// The UUID we advertise, when mdoc central client mode can be used.
    package let centralClientUUID: BluetoothUUID?

    /// Settles modes and UUIDs; nil when no allowed mode has a UUID.
    ///
    /// In mdoc central client mode the phone looks for the UUID of our Handover Request; in mdoc peripheral
    /// server mode a UUID of the phone's own wins (Q29). After static handover only the phone named one.
    package init?(_ record: BluetoothLEOutOfBand, allowed: BluetoothLEModes, offered: BluetoothUUID?) {
        let modes = record.role.modesInHandoverSelect.intersection(allowed)
        outOfBand = record
        peripheralServerUUID = modes.contains(.peripheralServer) ? record.serviceUUID ?? offered : nil
        centralClientUUID = modes.contains(.centralClient) ? offered ?? record.serviceUUID : nil
        if peripheralServerUUID == nil && centralClientUUID == nil { return nil }
    }
}
