/// The version of bluetoothd.
package struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: UInt8
    package let minor: UInt8

    package init(_ major: UInt8, _ minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// Reads the version from an adapter's `Modalias`, in which the running bluetoothd writes its own
    /// version: `usb:v1D6Bp0246d0542` is 5.66. `nil` if the setting `DeviceID` replaces this `Modalias`.
    package init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        let digits = modalias.dropFirst(prefix.count)
        guard modalias.hasPrefix(prefix), digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let number = UInt16(digits, radix: 16), number > 0xff
        else { return nil }
        // The high byte is the major version, the low byte the minor version.
        self.init(UInt8(number >> 8), UInt8(number & 0xff))
    }

    package static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { minor < 10 ? "\(major).0\(minor)" : "\(major).\(minor)" }
}
