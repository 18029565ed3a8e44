/// Writes CBOR in preferred serialization: shortest heads and definite lengths (RFC 8949 4.1).
///
/// The caller determines the order of map members, and writes as many items as the head of an array or map
/// announced.
package struct CBOREncoder: Sendable {
    /// The bytes that were written so far.
    package private(set) var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Returns the bytes that `body` writes.
    package static func encode<E: Error>(_ body: (inout CBOREncoder) throws(E) -> Void) throws(E) -> [UInt8] {
        var encoder = CBOREncoder()
        try body(&encoder)
        return encoder.bytes
    }

    package mutating func unsigned(_ value: UInt64) {
        Self.appendHead(major: 0, argument: value, to: &bytes)
    }

    package mutating func integer(_ value: Int64) {
        if value >= 0 { return unsigned(UInt64(value)) }
        // A negative integer is encoded as n for −1 − n, which is the complement of its bits (RFC 8949 3.1).
        Self.appendHead(major: 1, argument: ~UInt64(bitPattern: value), to: &bytes)
    }

    package mutating func byteString(_ value: some Collection<UInt8>) {
        Self.appendHead(major: 2, argument: UInt64(value.count), to: &bytes)
        bytes.append(contentsOf: value)
    }

    /// Writes the head of a byte string. The caller writes the `count` bytes afterwards.
    package mutating func byteStringHead(count: Int) {
        Self.appendHead(major: 2, argument: UInt64(count), to: &bytes)
    }

    package mutating func text(_ value: String) {
        Self.appendHead(major: 3, argument: UInt64(value.utf8.count), to: &bytes)
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes the head of an array. The caller writes the `count` items afterwards.
    package mutating func array(count: Int) {
        Self.appendHead(major: 4, argument: UInt64(count), to: &bytes)
    }

    /// Writes the head of a map. The caller writes `count` keys, each followed by its value.
    package mutating func map(count: Int) {
        Self.appendHead(major: 5, argument: UInt64(count), to: &bytes)
    }

    /// Writes a tag. The caller writes the tagged item afterwards.
    package mutating func tag(_ number: UInt64) {
        Self.appendHead(major: 6, argument: number, to: &bytes)
    }

    package mutating func boolean(_ value: Bool) {
        bytes.append(value ? 0xf5 : 0xf4)
    }

    package mutating func null() {
        bytes.append(0xf6)
    }

    /// Writes an item that is already encoded.
    package mutating func encoded(_ item: some Collection<UInt8>) {
        bytes.append(contentsOf: item)
    }

    /// Appends a head in its shortest form. The values 24, 25, 26 and 27 in the low five bits of the first
    /// byte announce an argument of 1, 2, 4 and 8 bytes (RFC 8949 3).
    static func appendHead(major: UInt8, argument: UInt64, to bytes: inout [UInt8]) {
        let type = major << 5
        switch argument {
        case ..<24: bytes.append(type | UInt8(argument))
        case ...0xff: appendHead(type | 24, argument, width: 1, to: &bytes)
        case ...0xffff: appendHead(type | 25, argument, width: 2, to: &bytes)
        case ...0xffff_ffff: appendHead(type | 26, argument, width: 4, to: &bytes)
        default: appendHead(type | 27, argument, width: 8, to: &bytes)
        }
    }

    /// Appends the first byte of a head, and the argument in `width` bytes.
    private static func appendHead(_ initial: UInt8, _ argument: UInt64, width: Int, to bytes: inout [UInt8])
    {
        bytes.append(initial)
        for index in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * index)))
        }
    }
}
