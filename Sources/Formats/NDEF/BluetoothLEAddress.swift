/// Bluetooth Core Specification Supplement, A 1.16: an LE device address.
package struct BluetoothLEAddress: Hashable, Sendable {
    /// The six bytes in the order of the text form (big-endian).
    package let bytes: [UInt8]
    /// Whether the address is a random one; nil when the sender left the type byte out.
    package let isRandom: Bool?

    /// The address of AD type 1b: six bytes, last byte of the text first, and possibly the type byte.
    init?(advertised data: ArraySlice<UInt8>) {
        guard (6...7).contains(data.count) else { return nil }
        bytes = data.prefix(6).reversed()
        isRandom = data.dropFirst(6).first.map { $0 & 1 == 1 }
    }

    /// An address of six bytes in text order; nil for another count.
    package init?(_ bytes: [UInt8], isRandom: Bool) {
        guard bytes.count == 6 else { return nil }
        self.bytes = bytes
        self.isRandom = isRandom
    }

    /// The seven bytes of AD type 1b.
    var advertisedBytes: [UInt8] {
        bytes.reversed() + [isRandom == true ? 1 : 0]
    }
}
