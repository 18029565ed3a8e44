/// Bluetooth Core, Volume 3 Part A 4.22: the number of an L2CAP channel of Bluetooth Low Energy, here always one of
/// the dynamic ones. Odd and even ones are alike (Q65).
package struct L2CAPPSM: Hashable, Sendable {
    /// Between 80 and ff.
    package let value: UInt16

    /// Nil for a number that is not dynamic.
    package init?(_ number: some BinaryInteger) {
        guard (0x80...0xff).contains(number) else { return nil }
        value = UInt16(number)
    }

    /// Reads the value of the characteristic: four or two bytes, big-endian, or little-endian where only that gives
    /// a dynamic number (Q65).
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(L2CAPPSMError) -> L2CAPPSM {
        guard bytes.count == 4 || bytes.count == 2 else { throw .length(bytes.count) }
        let number = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        let reversed = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard let psm = L2CAPPSM(number) ?? L2CAPPSM(reversed) else { throw .notDynamic(number) }
        return psm
    }

    /// The characteristic's value: four bytes, big-endian.
    package func encode() -> [UInt8] {
        [0, 0, 0, UInt8(truncatingIfNeeded: value)]
    }
}

/// Why the value of the L2CAP characteristic is not valid.
package enum L2CAPPSMError: Error, Equatable, Sendable {
    /// Neither two nor four bytes.
    case length(Int)
    /// Read either way, the number is not between 80 and ff; this is the big-endian one.
    case notDynamic(UInt32)
}
