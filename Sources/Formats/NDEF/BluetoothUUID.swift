/// A 128-bit Bluetooth UUID, kept in the order of its text form (big-endian).
package struct BluetoothUUID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The UUID of sixteen bytes in text order; nil for another count.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The UUID of sixteen bytes in the order of advertising data, last byte of the text first.
    package init?(littleEndian bytes: ArraySlice<UInt8>) {
        self.init(bytes.reversed())
    }

    /// The sixteen bytes in text order.
    package var bytes: [UInt8] {
        [high, low].flatMap { half in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
        }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Lower-case text, 8-4-4-4-12.
    package var description: String {
        let hyphens: Set = [4, 6, 8, 10]
        return bytes.enumerated().reduce(into: "") { text, item in
            if hyphens.contains(item.offset) { text += "-" }
            text += item.element < 16 ? "0" : ""
            text += String(item.element, radix: 16)
        }
    }
}
