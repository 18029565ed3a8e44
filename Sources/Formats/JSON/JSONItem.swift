/// One value of a JSON text (RFC 8259), and its position. What two readers might read differently is refused, as
/// I-JSON requires (RFC 7493): text that is not UTF-8, half a surrogate pair, a member twice.
package struct JSONItem: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// A number with a fraction or an exponent, or one that does not fit `Int64`.
        case otherNumber
        case string(String)
        case array([JSONItem])
        case object([JSONMember])
    }

    package let value: Value
    /// The index of the value's first byte in the received buffer.
    package let offset: Int

    package static let standardLimits = (bytes: 1 << 16, depth: 16)

    /// The one value that `text` holds, with nothing but white space around it.
    package static func parse(
        _ text: ArraySlice<UInt8>, limits: (bytes: Int, depth: Int) = standardLimits
    ) throws(JSONError) -> JSONItem {
        guard text.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
        var reader = JSONReader(text)
        let item = try reader.item(nesting: limits.depth)
        try reader.finish()
        return item
    }

    /// The line of `text` that contains `offset`, counted from 1.
    package static func line(of offset: Int, in text: ArraySlice<UInt8>) -> Int {
        1 + before(offset, in: text).count { $0 == 0x0a }
    }

    /// The character of its line at which `offset` is, counted from 1.
    package static func column(of offset: Int, in text: ArraySlice<UInt8>) -> Int {
        // Bytes that continue a character do not count.
        1 + before(offset, in: text).reversed().prefix { $0 != 0x0a }.count { $0 & 0xc0 != 0x80 }
    }

    private static func before(_ offset: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix(upTo: min(max(offset, text.startIndex), text.endIndex))
    }
}

/// A member of a JSON object.
package struct JSONMember: Equatable, Sendable {
    package let name: String
    /// The position of its name.
    package let offset: Int
    package let item: JSONItem
}

/// What came in may be anybody's data: it describes itself by its type alone.
extension JSONItem: CustomStringConvertible, CustomReflectable {
    package var description: String { "JSONItem(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
