package import MdocModel
package import NDEF

/// The reader's offer in an NFC v2 handover request (draft of the second edition).
///
/// The offer always includes NFC v2, which every wallet requires. It also includes Bluetooth if the reader
/// has a Bluetooth radio.
package struct NFCVersion2Offer: Equatable, Sendable {
    /// The service UUID for both modes of Bluetooth. Nil if Bluetooth is not offered.
    package let serviceUUID: BluetoothUUID?

    package init(serviceUUID: BluetoothUUID?) {
        self.serviceUUID = serviceUUID
    }

    var methods: [NFCVersion2Method] {
        guard let serviceUUID else { return [.nfcVersion2] }
        var bluetooth = NFCVersion2Bluetooth()
        (bluetooth.isPeripheralServer, bluetooth.isCentralClient) = (true, true)
        (bluetooth.peripheralServerUUID, bluetooth.centralClientUUID) = (serviceUUID.bytes, serviceUUID.bytes)
        return [.nfcVersion2, .bluetoothLE(bluetooth)]
    }
}

/// The method that a phone chose.
package enum NFCVersion2Choice: Equatable, Sendable {
    /// All messages go over NFC.
    case nfc
    /// Messages go over NFC and Bluetooth at the same time.
    case bluetoothLE(NFCVersion2BluetoothChoice)

    /// The modes of Bluetooth that the phone chose. Nil if it chose NFC.
    package var bluetooth: NFCVersion2BluetoothChoice? {
        if case .bluetoothLE(let choice) = self { choice } else { nil }
    }

    /// Checks the methods of the phone's answer against the offered methods.
    ///
    /// - Throws: a fault unless the answer has exactly one method, and that method was offered.
    package static func settled(
        _ answered: [NFCVersion2Method], offered: [NFCVersion2Method]
    ) throws(NFCFault) -> NFCVersion2Choice {
        guard let method = answered.first, answered.count == 1 else {
            throw .version2Methods(count: answered.count)
        }
        switch method {
        // Every offer has NFC v2, so `offered` is not searched for it.
        case .nfcVersion2: return .nfc
        case .bluetoothLE(let chosen):
            for case .bluetoothLE(let offer) in offered {
                guard let choice = NFCVersion2BluetoothChoice(chosen, offer) else { continue }
                return .bluetoothLE(choice)
            }
            throw .version2MethodNotOffered
        // `.nfc` is the data transfer of the first edition, which is never offered in this handover.
        case .nfc, .other: throw .version2MethodNotOffered
        }
    }
}

/// The modes of Bluetooth that the handover settled, with the UUID of each mode.
package struct NFCVersion2BluetoothChoice: Equatable, Sendable {
    package let centralClient: BluetoothUUID?
    package let peripheralServer: BluetoothUUID?
    /// The phone's L2CAP PSM in mdoc peripheral server mode. Nil if the phone named none.
    package let psm: UInt16?

    /// Determines the modes and their UUIDs. A UUID that the phone names takes precedence over the offered
    /// UUID. Nil if the phone chose no offered mode.
    init?(_ chosen: NFCVersion2Bluetooth, _ offer: NFCVersion2Bluetooth) {
        let central = chosen.isCentralClient && offer.isCentralClient
        let peripheral = chosen.isPeripheralServer && offer.isPeripheralServer
        centralClient =
            central
            ? (chosen.centralClientUUID ?? offer.centralClientUUID).flatMap { BluetoothUUID($0) } : nil
        peripheralServer =
            peripheral
            ? (chosen.peripheralServerUUID ?? offer.peripheralServerUUID).flatMap { BluetoothUUID($0) } : nil
        // In mdoc central client mode the reader is the L2CAP server. A PSM in the phone's answer only
        // repeats the reader's PSM.
        psm = peripheral ? chosen.psm : nil
        if centralClient == nil && peripheralServer == nil { return nil }
    }
}
