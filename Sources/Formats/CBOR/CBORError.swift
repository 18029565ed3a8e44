/// An error in received CBOR (RFC 8949). Offsets are indices into the received buffer.
package enum CBORError: Error, Equatable, Sendable {
    /// The bytes end inside an item.
    case truncated(at: Int)
    /// Bytes follow the one expected item.
    case trailingBytes(at: Int)
    /// A head has the additional information 28 to 30, or 31 with a type that has no indefinite length (RFC
    /// 8949 3).
    case reservedAdditionalInformation(at: Int)
    /// A simple value below 32 is encoded in two bytes (RFC 8949 3.3).
    case reservedSimpleValue(at: Int)
    /// A "break" is outside an item of indefinite length, or between a key and its value.
    case unexpectedBreak(at: Int)
    /// A chunk of a string does not have the type of the string, or has an indefinite length itself.
    case misplacedChunk(at: Int)
    /// A text string, or a chunk of a text string, is not UTF-8.
    case invalidUTF8(at: Int)
    /// Two keys of one map have the same value.
    case duplicateKey(at: Int)
    /// Items are nested deeper than the limit.
    case tooDeep(at: Int)
    /// The received bytes are longer than the limit.
    case tooLong(limit: Int)
    /// An array or map has more entries than the limit allows.
    case tooMany(limit: Int)
    /// An item has another type than is required at its place.
    case unexpectedType(expected: CBORType, at: Int)
    /// A value is outside the range that is allowed at its place.
    case outOfRange(at: Int)
    /// A map lacks a required member. `at` is the start of the map.
    case missingMember(at: Int)
}

/// The type that is required of an item.
package enum CBORType: Equatable, Sendable {
    case integer, unsigned, byteString, textString, array, map, tag(UInt64), boolean
}

extension CBORError {
    /// The error as a text for users, with the position of the byte.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the bytes end inside an item (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the item (byte \(offset))"
        case .reservedAdditionalInformation(let offset):
            "the head of an item has a reserved value (byte \(offset))"
        case .reservedSimpleValue(let offset): "a simple value is encoded in a reserved form (byte \(offset))"
        case .unexpectedBreak(let offset):
            "a break code is outside an item of indefinite length (byte \(offset))"
        case .misplacedChunk(let offset): "a chunk and its string have different types (byte \(offset))"
        case .invalidUTF8(let offset): "a text string is not UTF-8 (byte \(offset))"
        case .duplicateKey(let offset): "a map has a duplicate key (byte \(offset))"
        case .tooDeep(let offset): "items are nested too deeply (byte \(offset))"
        case .tooLong(let limit): "the data is longer than \(limit) bytes"
        case .tooMany(let limit): "a structure has more than \(limit) entries"
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
