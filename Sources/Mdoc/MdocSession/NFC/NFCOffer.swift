package import NDEF

/// The carriers that this reader can use, offers in a Handover Request, and accepts from a Handover Select.
package struct NFCOffer: Equatable, Sendable {
    /// The offer of Bluetooth Low Energy, with this transaction's UUID for both modes.
    package struct BluetoothLE: Equatable, Sendable {
        package let serviceUUID: BluetoothUUID
        /// The reader's own role. In the reader's record, a role means the opposite of its meaning in a
        /// phone's record: a reader that is only central offers mdoc peripheral server mode (Q33).
        package let role: BluetoothLERole

        package init(serviceUUID: BluetoothUUID, role: BluetoothLERole) {
            self.serviceUUID = serviceUUID
            self.role = role
        }
    }

    package let bluetoothLE: BluetoothLE?
    package let nfc: NFCCarrier?

    package init(bluetoothLE: BluetoothLE?, nfc: NFCCarrier?) {
        self.bluetoothLE = bluetoothLE
        self.nfc = nfc
    }

    var carriers: [HandoverCarrier] {
        let bluetooth = bluetoothLE.map {
            HandoverCarrier.bluetoothLE(BluetoothLEOutOfBand(role: $0.role, serviceUUID: $0.serviceUUID))
        }
        return [bluetooth, nfc.map(HandoverCarrier.nfc)].compactMap { $0 }
    }
}
