internal import Transport

/// The properties that a reader's driver reports (PC/SC part 10, 2.6.14), and the reader's place on the USB
/// bus.
struct ReaderProperties: Equatable, Sendable {
    /// The maximum data length of an APDU: 0 for short APDUs only, 0x10000 for extended APDUs too; `nil` if
    /// the driver does not report it.
    var maximumAPDUData: UInt32?
    var usb: USBIdentity?
    var location: USBLocation?
    var firmware: String?
    /// Whether the driver passes commands on to the reader itself (Q126).
    var allowsEscape = false

    init() {}

    /// Parses a TLV list with tags and lengths of one byte and little-endian numbers. Unknown tags and a
    /// truncated end are ignored, because a driver's mistake must not make the reader unusable.
    init(parsing list: [UInt8]) {
        var vendor: UInt16?
        var product: UInt16?
        for (tag, value) in TagLengthValues(list) {
            switch tag {
            // The tags are sFirmwareID, dwMaxAPDUDataSize, wIdVendor and wIdProduct of PC/SC part 10.
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

/// The place where a reader is plugged in. Readers of one model have the same name except for a number, and
/// only their places tell them apart (Q136).
package enum USBLocation: Equatable, Sendable {
    /// The bus and ports. They stay the same when the reader is plugged into the same socket again.
    case path(String)
    /// The bus and address. They change each time the reader is plugged in.
    case address(bus: UInt8, device: UInt8)

    /// Parses the value of `SCARD_ATTR_CHANNEL_ID`, 0xDDDDCCCC in the host's byte order: DDDD is 0x0020 for
    /// USB, CCCC is bus and address.
    init?(channelIdentifier bytes: [UInt8]) {
        guard bytes.count >= 4, bytes[2] == 0x20, bytes[3] == 0 else { return nil }
        self = .address(bus: bytes[1], device: bytes[0])
    }
}

/// A sequence of the entries of a TLV list with tags and lengths of one byte. Ends at an entry that is
/// truncated.
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
    /// Returns the bytes as a little-endian number; `nil` if their count is not the size of the number.
    func littleEndian<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        guard count == MemoryLayout<Value>.size else { return nil }
        return reversed().reduce(0) { $0 << 8 | Value($1) }
    }

    /// Returns the bytes as a big-endian number; `nil` if their count is not the size of the number.
    func bigEndian<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
        guard count == MemoryLayout<Value>.size else { return nil }
        return reduce(0) { $0 << 8 | Value($1) }
    }
}
