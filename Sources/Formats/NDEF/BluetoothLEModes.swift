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
