package import NDEF

/// The result of an NFC engagement.
package struct NFCHandover: Equatable, Sendable {
    /// The complete Handover Select message, exactly as it was read, for the session transcript.
    package let handoverSelect: [UInt8]
    /// The complete Handover Request message, exactly as it was written. Nil after a static handover.
    package let handoverRequest: [UInt8]?
    /// The DeviceEngagement, a slice of `handoverSelect`.
    package let deviceEngagement: ArraySlice<UInt8>
    /// The usable carriers and the unreadable carriers, in the phone's order. At least one is usable.
    package let carriers: [NFCHandoverCarrier]
    /// Whether the phone refused NLEN and message in one write. For the next tap, set
    /// `NFCEngagementSettings.mergesWrites` to false, so that the two are written separately (Q23).
    package let mergedWriteRefused: Bool
}

/// A carrier of a completed handover.
package enum NFCHandoverCarrier: Equatable, Sendable {
    case nfc(NFCCarrier)
    case bluetoothLE(NFCBluetoothLECarrier)
    /// A record that cannot be read, or that lacks the UUID which it needs (Q32). `count` is the number of
    /// bytes of its payload.
    case unreadable(HandoverCarrier.Kind, count: Int)
}

/// The modes of Bluetooth Low Energy that can be used after the handover, with the UUID of each mode.
package struct NFCBluetoothLECarrier: Equatable, Sendable {
    /// The record that the phone sent.
    package let outOfBand: BluetoothLEOutOfBand
    /// The UUID that the phone advertises. Nil if mdoc peripheral server mode cannot be used.
    package let peripheralServerUUID: BluetoothUUID?
    /// The UUID that the reader advertises. Nil if mdoc central client mode cannot be used.
    package let centralClientUUID: BluetoothUUID?

    /// Determines the usable modes and their UUIDs. Nil if no allowed mode has a UUID.
    ///
    /// In mdoc central client mode the phone looks for the UUID of the reader's Handover Request. In mdoc
    /// peripheral server mode a UUID that the phone names takes precedence over the offered UUID (Q29). After
    /// a static handover only the phone's UUID is known.
    package init?(_ record: BluetoothLEOutOfBand, allowed: BluetoothLEModes, offered: BluetoothUUID?) {
        let modes = record.role.modesInHandoverSelect.intersection(allowed)
        outOfBand = record
        peripheralServerUUID = modes.contains(.peripheralServer) ? record.serviceUUID ?? offered : nil
        centralClientUUID = modes.contains(.centralClient) ? offered ?? record.serviceUUID : nil
        if peripheralServerUUID == nil && centralClientUUID == nil { return nil }
    }
}
