/// The LE Role of the sender of out-of-band data (Bluetooth Core Specification Supplement, A 1.17).
///
/// The meaning of a role depends on its sender (Q33), so the Handover Select and the Handover Request have
/// separate properties.
package enum BluetoothLERole: UInt8, Sendable, CaseIterable {
    case peripheralOnly, centralOnly, bothPeripheralPreferred, bothCentralPreferred

    /// The modes that a phone offers with this role in its Handover Select.
    package var modesInHandoverSelect: BluetoothLEModes {
        switch self {
        case .peripheralOnly: .peripheralServer
        case .centralOnly: .centralClient
        case .bothPeripheralPreferred, .bothCentralPreferred: [.peripheralServer, .centralClient]
        }
    }

    /// The modes that a reader offers with this role in its Handover Request.
    package var modesInHandoverRequest: BluetoothLEModes {
        switch self {
        case .peripheralOnly: .centralClient
        case .centralOnly: .peripheralServer
        case .bothPeripheralPreferred, .bothCentralPreferred: [.peripheralServer, .centralClient]
        }
    }
}

/// A set of modes of the Bluetooth Low Energy transfer, which differ in whether the phone or the reader is
/// the GATT server (ISO/IEC 18013-5, 8.3.3.1.1).
package struct BluetoothLEModes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// mdoc peripheral server mode: the phone advertises and the reader connects.
    package static let peripheralServer = Self(rawValue: 1)
    /// mdoc central client mode: the reader advertises and the phone connects.
    package static let centralClient = Self(rawValue: 2)
}
