package import NDEF

/// ISO/IEC 18013-5, 8.3.3.1.1.4: the GATT service of a mode and its characteristics.
package enum BLEService: Hashable, Sendable {
    /// mdoc peripheral server mode: the phone is the GATT server and advertises this UUID.
    case mdocPeripheralServer(BluetoothUUID)
    /// mdoc central client mode: the reader is the GATT server and advertises this UUID.
    case mdocCentralClient(BluetoothUUID)

    package var uuid: BluetoothUUID {
        switch self {
        case .mdocPeripheralServer(let uuid), .mdocCentralClient(let uuid): uuid
        }
    }

    /// State: start and end, from either side; notify, write without response.
    package var state: BluetoothUUID { characteristic(0x01, 0x05) }

    /// Client2Server: what the GATT client sends; write without response.
    package var client2Server: BluetoothUUID { characteristic(0x02, 0x06) }

    /// Server2Client: what the GATT server sends; notify.
    package var server2Client: BluetoothUUID { characteristic(0x03, 0x07) }

    /// Ident: the phone reads it to recognise its reader. Only if the reader is the server.
    package var ident: BluetoothUUID? {
        switch self {
        case .mdocPeripheralServer: nil
        case .mdocCentralClient: Self.characteristic(0x08)
        }
    }

    /// L2CAP: the server's PSM, an `L2CAPPSM`; read.
    package var l2CAP: BluetoothUUID { characteristic(0x0a, 0x0b) }

    private func characteristic(_ inPeripheralServer: UInt64, _ inCentralClient: UInt64) -> BluetoothUUID {
        switch self {
        case .mdocPeripheralServer: Self.characteristic(inPeripheralServer)
        case .mdocCentralClient: Self.characteristic(inCentralClient)
        }
    }

    /// The UUID `number`-a123-48ce-896b-4c76973373e6.
    private static func characteristic(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: number << 32 | 0xa123_48ce, low: 0x896b_4c76_9733_73e6)
    }
}

/// ISO/IEC 18013-5, 8.3.3.1.1.4: the values of the State characteristic.
package enum BLEStateValue: UInt8, Sendable {
    /// The GATT client begins the session.
    case start = 1
    /// Either side ends it.
    case end = 2
}
