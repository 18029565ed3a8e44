/// The number of an L2CAP channel of Bluetooth Low Energy (Bluetooth Core, Volume 3 Part A 4.22), in the
/// dynamic range. Odd and even numbers are both accepted (Q65).
package struct L2CAPPSM: Hashable, Sendable {
    /// The number, from 0x80 to 0xff.
    package let value: UInt16

    /// Creates a PSM. Nil for a number outside the dynamic range.
    package init?(_ number: some BinaryInteger) {
        guard (0x80...0xff).contains(number) else { return nil }
        value = UInt16(number)
    }

    /// Parses the value of the characteristic: four or two bytes. Big-endian is tried first, then
    /// little-endian, which some phones send (Q65).
    package static func parse(_ bytes: ArraySlice<UInt8>) throws(L2CAPPSMError) -> L2CAPPSM {
        guard bytes.count == 4 || bytes.count == 2 else { throw .length(bytes.count) }
        let number = bytes.reduce(0) { $0 << 8 | UInt32($1) }
        let reversed = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        guard let psm = L2CAPPSM(number) ?? L2CAPPSM(reversed) else { throw .notDynamic(number) }
        return psm
    }

    /// Encodes the value of the characteristic: four bytes, big-endian.
    package func encode() -> [UInt8] {
        // A dynamic PSM is at most 0xff.
        [0, 0, 0, UInt8(truncatingIfNeeded: value)]
    }
}

/// A reason that the value of the L2CAP characteristic is not valid.
package enum L2CAPPSMError: Error, Equatable, Sendable {
    /// The value has this many bytes, instead of two or four.
    case length(Int)
    /// The number is outside the dynamic range in either byte order. The associated value is the big-endian
    /// number.
    case notDynamic(UInt32)
}
