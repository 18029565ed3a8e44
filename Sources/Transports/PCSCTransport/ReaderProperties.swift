internal import Transport

/// What a reader's driver reports: PC/SC part 10, 2.6.14 (TLV properties), and its place on the USB bus.
struct ReaderProperties: Equatable, Sendable {
    /// 0 short APDUs only, 0x10000 extended; nil when the driver does not say.
    var maximumAPDUData: UInt32?
    var usb: USBIdentity?
    var location: USBLocation?
    var firmware: String?
    /// Whether commands to the reader itself are passed on (Q126).
    var allowsEscape = false

    init() {}

    /// Reads a TLV list: one byte tag, one byte length, numbers little-endian. Unknown tags and a truncated end are
    /// ignored: a driver's mistake must not make the reader unusable.
    init(parsing list: [UInt8]) {
        var vendor: UInt16?
        var product: UInt16?
        for (tag, value) in TagLengthValues(list) {
            switch tag {
            case 8: firmware = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
            case 10: maximumAPDUData = value.littleEndian(UInt32.self)
            case 11: vendor = value.littleEndian(UInt16.self)
            case 12: product = value.littleEndian(UInt16.self)
            default: break
            }
        }
        if let vendor, let product { usb = USBIdentity(vendor: vendor, product: product) }
    }
}

/// Where a reader is plugged in; two of the same model have the same name and differ only here (Q136).
package enum USBLocation: Equatable, Sendable {
    /// Bus and ports, stable over re-plugging at the same socket.
    case path(String)
    /// Bus and address, new after each re-plug.
    case address(bus: UInt8, device: UInt8)

    /// SCARD_ATTR_CHANNEL_ID: 0xDDDDCCCC in the host's order, 0x0020 for USB, then bus and address.
    init?(channelIdentifier bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[2] == 0x20, bytes[3] == 0 else { return nil }
        self = .address(bus: bytes[1], device: bytes[0])
    }
}

/// A walk over one-byte tags and lengths that ends where the list is cut off.
struct TagLengthValues: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ list: [UInt8]) {
        rest = list[...]
    }

    mutating func next() -> (tag: UInt8, value: ArraySlice<UInt8>)? {
        guard let tag = rest.popFirst(), let length = rest.popFirst(), rest.count >= length else {
            return nil
        }
        defer { rest = rest.dropFirst(Int(length)) }
        return (tag, rest.prefix(Int(length)))
    }
}

extension ArraySlice<UInt8> {
    func littleEndian<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        guard count == MemoryLayout<Value>.size else { return nil }
        return reversed().reduce(0) { $0 << 8 | Value($1) }
    }

    func bigEndian<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        guard count == MemoryLayout<Value>.size else { return nil }
        return reduce(0) { $0 << 8 | Value($1) }
    }
}
