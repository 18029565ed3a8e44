/// Writes CBOR in preferred serialization: shortest heads, definite lengths (RFC 8949 4.1). Map members are
/// written in the order they are given, which is the order their structure defines.
package struct CBOREncoder: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8]

    package init(reservingCapacity capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

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
        Self.appendHead(major: 1, argument: ~UInt64(bitPattern: value), to: &bytes)
    }

    package mutating func byteString(_ value: some Collection<UInt8>) {
        Self.appendHead(major: 2, argument: UInt64(value.count), to: &bytes)
        bytes.append(contentsOf: value)
    }

    /// The head of a byte string; its `count` bytes are to follow.
    package mutating func byteStringHead(count: Int) {
        Self.appendHead(major: 2, argument: UInt64(count), to: &bytes)
    }

    package mutating func text(_ value: String) {
        Self.appendHead(major: 3, argument: UInt64(value.utf8.count), to: &bytes)
        bytes.append(contentsOf: value.utf8)
    }

    /// The head of an array; its `count` items are to follow.
    package mutating func array(count: Int) {
        Self.appendHead(major: 4, argument: UInt64(count), to: &bytes)
    }

    /// The head of a map; its `count` keys and values are to follow.
    package mutating func map(count: Int) {
        Self.appendHead(major: 5, argument: UInt64(count), to: &bytes)
    }

    /// A tag; its one item is to follow.
    package mutating func tag(_ number: UInt64) {
        Self.appendHead(major: 6, argument: number, to: &bytes)
    }

    package mutating func boolean(_ value: Bool) {
        bytes.append(value ? 0xf5 : 0xf4)
    }

    package mutating func null() {
        bytes.append(0xf6)
    }

    package mutating func encoded(_ item: some Collection<UInt8>) {
        bytes.append(contentsOf: item)
    }

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

    private static func appendHead(_ initial: UInt8, _ argument: UInt64, width: Int, to bytes: inout [UInt8])
    {
        bytes.append(initial)
        for index in (0..<width).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: argument >> (8 * index)))
        }
    }
}
