package import NDEF

/// Bluetooth Low Energy as the handover settled it: the modes both sides know and the UUID of each.
package struct NFCBluetoothLECarrier: Equatable, Sendable {
    /// The phone's record as it came.
    package let outOfBand: BluetoothLEOutOfBand
    /// The UUID the phone advertises, when mdoc peripheral server mode can be used.
    package let peripheralServerUUID: BluetoothUUID?
    /// The UUID we advertise, when mdoc central client mode can be used.
    package let centralClientUUID: BluetoothUUID?
}

extension NFCBluetoothLECarrier {
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
