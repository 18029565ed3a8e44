package import NDEF

/// The GATT service of a mode, with its characteristics (ISO/IEC 18013-5, 8.3.3.1.1.4).
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

    /// The UUID of State, the characteristic with which the two sides signal the start and the end.
    /// Properties: notify, write without response.
    package var state: BluetoothUUID { characteristic(0x01, 0x05) }

    /// The UUID of Client2Server, for the messages of the GATT client. Property: write without response.
    package var client2Server: BluetoothUUID { characteristic(0x02, 0x06) }

    /// The UUID of Server2Client, for the messages of the GATT server. Property: notify.
    package var server2Client: BluetoothUUID { characteristic(0x03, 0x07) }

    /// The UUID of Ident, from which the phone recognises the reader. Nil if the phone is the GATT server.
    package var ident: BluetoothUUID? {
        switch self {
        case .mdocPeripheralServer: nil
        case .mdocCentralClient: Self.characteristic(0x08)
        }
    }

    /// The UUID of the characteristic with the server's PSM, an `L2CAPPSM`. Property: read.
    package var l2CAP: BluetoothUUID { characteristic(0x0a, 0x0b) }

    /// Returns the UUID of a characteristic by its number in each mode. The two modes number the
    /// characteristics differently.
    private func characteristic(_ inPeripheralServer: UInt64, _ inCentralClient: UInt64) -> BluetoothUUID {
        switch self {
        case .mdocPeripheralServer: Self.characteristic(inPeripheralServer)
        case .mdocCentralClient: Self.characteristic(inCentralClient)
        }
    }

    /// Returns the UUID `number`-a123-48ce-896b-4c76973373e6.
    private static func characteristic(_ number: UInt64) -> BluetoothUUID {
        BluetoothUUID(high: number << 32 | 0xa123_48ce, low: 0x896b_4c76_9733_73e6)
    }
}

/// A value of the State characteristic (ISO/IEC 18013-5, 8.3.3.1.1.4).
package enum BLEStateValue: UInt8, Sendable {
    /// The GATT client begins the session.
    case start = 1
    /// Either side ends the session.
    case end = 2
}
