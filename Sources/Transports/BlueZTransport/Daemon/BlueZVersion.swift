/// The version of a bluetoothd.
package struct BlueZVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: UInt8
    package let minor: UInt8

    package init(_ major: UInt8, _ minor: UInt8) {
        self.major = major
        self.minor = minor
    }

    /// From an adapter's `Modalias`, into which the bluetoothd that runs writes its own version:
    /// `usb:v1D6Bp0246d0542` is 5.66. Nil when `DeviceID` in its settings made it say something else.
    package init?(modalias: String) {
        let prefix = "usb:v1D6Bp0246d"
        let digits = modalias.dropFirst(prefix.count)
        guard modalias.hasPrefix(prefix), digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit),
            let number = UInt16(digits, radix: 16), number > 0xff
        else { return nil }
        self.init(UInt8(number >> 8), UInt8(number & 0xff))
    }

    package static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { minor < 10 ? "\(major).0\(minor)" : "\(major).\(minor)" }
}
