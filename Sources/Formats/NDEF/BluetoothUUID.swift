/// A Bluetooth UUID of 128 bits.
package struct BluetoothUUID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Creates a UUID from sixteen bytes in the order of the text form; `nil` for another number of bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Creates a UUID from sixteen bytes in the order of advertising data, which is the reverse of the text
    /// form.
    package init?(littleEndian bytes: ArraySlice<UInt8>) {
        self.init(bytes.reversed())
    }

    /// Creates a UUID from its two halves in the order of the text form.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Expands a 16-bit UUID to its 128-bit form (Bluetooth Core, Volume 3 Part B 2.5.1; Q87).
    package init(expanding shortForm: UInt16) {
        self.init(high: Self.baseHigh | UInt64(shortForm) << 32, low: Self.baseLow)
    }

    /// The 16-bit form; `nil` if the UUID has none.
    package var shortForm: UInt16? {
        guard low == Self.baseLow, high & ~(0xffff << 32) == Self.baseHigh else { return nil }
        return UInt16(truncatingIfNeeded: high >> 32)
    }

    /// The upper half of the Bluetooth base UUID 00000000-0000-1000-8000-00805f9b34fb.
    private static let baseHigh: UInt64 = 0x0000_0000_0000_1000
    /// The lower half of the Bluetooth base UUID.
    private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb

    /// The sixteen bytes in the order of the text form.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Lower-case hexadecimal digits in groups of 8-4-4-4-12.
    package var description: String {
        let hyphens: Set = [4, 6, 8, 10]
        return bytes.enumerated().reduce(into: "") { text, item in
            if hyphens.contains(item.offset) { text += "-" }
            text += item.element < 16 ? "0" : ""
            text += String(item.element, radix: 16)
        }
    }
}
