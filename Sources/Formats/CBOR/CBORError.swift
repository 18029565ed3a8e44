/// Why bytes are not the CBOR (RFC 8949) that was expected. Offsets are indices into the received buffer.
package enum CBORError: Error, Equatable, Sendable {
    /// The bytes end inside an item.
    case truncated(at: Int)
    /// Bytes follow the one expected item.
    case trailingBytes(at: Int)
    /// Additional information 28 to 30, or 31 where no indefinite length exists (RFC 8949 3).
    case reservedAdditionalInformation(at: Int)
    /// A simple value below 32 in its two-byte form (RFC 8949 3.3).
    case reservedSimpleValue(at: Int)
    /// A "break" outside an indefinite-length item, or between a key and its value.
    case unexpectedBreak(at: Int)
    /// A chunk of an indefinite-length string that is not a definite-length string of the same type.
    case misplacedChunk(at: Int)
    /// A text string (or a chunk of one) that is not UTF-8.
    case invalidUTF8(at: Int)
    /// Two keys of one map are the same value.
    case duplicateKey(at: Int)
    /// Items nest deeper than the limit.
    case tooDeep(at: Int)
    case tooLong(limit: Int)
    /// More of what a structure repeats than its limit.
    case tooMany(limit: Int)
    /// The item is of another type than its structure asks for.
    case unexpectedType(expected: CBORType, at: Int)
    /// An integer that does not fit the range its structure allows.
    case outOfRange(at: Int)
    /// A map without a member that its structure requires; the map starts at `at`.
    case missingMember(at: Int)
}

/// The types an item may be asked for.
package enum CBORType: Equatable, Sendable {
    case integer, unsigned, byteString, textString, array, map, tag(UInt64), boolean
}

extension CBORError {
    /// In plain words, with the byte it happened at.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the bytes end inside an item (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the item (byte \(offset))"
        case .reservedAdditionalInformation(let offset):
            "the head of an item has a reserved value (byte \(offset))"
        case .reservedSimpleValue(let offset): "a simple value is encoded in a reserved form (byte \(offset))"
        case .unexpectedBreak(let offset): "a break is outside an item of indefinite length (byte \(offset))"
        case .misplacedChunk(let offset): "a chunk has another type than its string (byte \(offset))"
        case .invalidUTF8(let offset): "a text string is not UTF-8 (byte \(offset))"
        case .duplicateKey(let offset): "a map has a duplicate key (byte \(offset))"
        case .tooDeep(let offset): "items are nested too deeply (byte \(offset))"
        case .tooLong(let limit): "it is longer than \(limit) bytes"
        case .tooMany(let limit): "it has more than \(limit) entries"
        case .unexpectedType(let expected, let offset): "expected \(expected.name) at byte \(offset)"
        case .outOfRange(let offset): "an integer is out of range (byte \(offset))"
        case .missingMember(let offset): "a required member is missing from the item at byte \(offset)"
        }
    }
}

extension CBORType {
    fileprivate var name: String {
        switch self {
        case .integer: "an integer"
        case .unsigned: "an unsigned integer"
        case .byteString: "a byte string"
        case .textString: "a text string"
        case .array: "an array"
        case .map: "a map"
        case .tag(let number): "tag \(number)"
        case .boolean: "true or false"
        }
    }
}
