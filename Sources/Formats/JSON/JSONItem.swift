/// A value of a JSON text (RFC 8259) with its position.
///
/// Texts that two readers could understand differently are refused, as I-JSON requires (RFC 7493): text that
/// is not UTF-8, half a surrogate pair, and two members with one name.
package struct JSONItem: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// A number with a fraction or an exponent, or a number that does not fit into `Int64`.
        case otherNumber
        case string(String)
        case array([JSONItem])
        case object([JSONMember])
    }

    package let value: Value
    /// The index of the value's first byte in the received buffer.
    package let offset: Int

    /// The default limits: 64 KiB, and 16 nested arrays and objects.
    package static let standardLimits = (bytes: 1 << 16, depth: 16)

    /// Parses a text that is exactly one value. White space is allowed before and after the value.
    package static func parse(
        _ text: ArraySlice<UInt8>, limits: (bytes: Int, depth: Int) = standardLimits
    ) throws(JSONError) -> JSONItem {
        guard text.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
        var reader = JSONReader(text)
        let item = try reader.item(nesting: limits.depth)
        try reader.finish()
        return item
    }

    /// Returns the line of `text` that contains `offset`, counted from 1.
    package static func line(of offset: Int, in text: ArraySlice<UInt8>) -> Int {
        1 + before(offset, in: text).count { $0 == 0x0a }
    }

    /// Returns the position of `offset` within its line, in characters counted from 1.
    package static func column(of offset: Int, in text: ArraySlice<UInt8>) -> Int {
        // Each character is counted once, by its first byte. The other bytes of its UTF-8 form are not
        // counted.
        1 + before(offset, in: text).reversed().prefix { $0 != 0x0a }.count { $0 & 0xc0 != 0x80 }
    }

    private static func before(_ offset: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix(upTo: min(max(offset, text.startIndex), text.endIndex))
    }
}

/// A member of a JSON object.
package struct JSONMember: Equatable, Sendable {
    package let name: String
    /// The position of the member's name.
    package let offset: Int
    package let item: JSONItem
}

/// The description contains no values, since received JSON may contain personal data (Q200).
extension JSONItem: CustomStringConvertible, CustomReflectable {
    package var description: String { "JSONItem(redacted)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
