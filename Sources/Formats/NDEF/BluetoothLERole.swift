/// Bluetooth Core Specification Supplement, A 1.17: the LE Role of the sender of out-of-band data.
///
/// What a role means depends on who sends it (Q33), so each direction has its own function.
package enum BluetoothLERole: UInt8, Sendable, CaseIterable {
    case peripheralOnly, centralOnly, bothPeripheralPreferred, bothCentralPreferred

    /// The modes a phone offers or chooses with this role in its Handover Select.
    package var modesInHandoverSelect: BluetoothLEModes {
        switch self {
        case .peripheralOnly: .peripheralServer
        case .centralOnly: .centralClient
        case .bothPeripheralPreferred, .bothCentralPreferred: [.peripheralServer, .centralClient]
        }
    }

    /// The modes a reader offers with this role in its Handover Request.
    package var modesInHandoverRequest: BluetoothLEModes {
        switch self {
        case .peripheralOnly: .centralClient
        case .centralOnly: .peripheralServer
        case .bothPeripheralPreferred, .bothCentralPreferred: [.peripheralServer, .centralClient]
        }
    }
}

/// ISO/IEC 18013-5, 8.3.3.1.1: which side serves in a Bluetooth Low Energy transfer.
package struct BluetoothLEModes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// mdoc peripheral server mode: the phone advertises, the reader connects.
    package static let peripheralServer = Self(rawValue: 1)
    /// mdoc central client mode: the reader advertises, the phone connects.
    package static let centralClient = Self(rawValue: 2)
}
