/// An error in received JSON (RFC 8259). Offsets are indices into the received buffer.
package enum JSONError: Error, Equatable, Sendable {
    /// The text ends inside a value.
    case truncated(at: Int)
    /// Bytes follow the value.
    case trailingBytes(at: Int)
    /// A byte is not allowed by the grammar at its position.
    case unexpectedByte(at: Int)
    /// A number has a leading zero.
    case numberMalformed(at: Int)
    /// A string contains a control character, an unknown escape, or half of a surrogate pair.
    case stringMalformed(at: Int)
    /// A string is not UTF-8.
    case invalidUTF8(at: Int)
    /// Two members of one object have the same name (RFC 7493 2.3).
    case duplicateMember(at: Int)
    /// Values are nested deeper than the limit.
    case tooDeep(at: Int)
    /// The text is longer than the limit in bytes.
    case tooLong(limit: Int)
    /// A value has another type than is required at its place. Numbers with a fraction or an exponent, and
    /// numbers that do not fit into `Int64`, do not count as integers.
    case unexpectedType(expected: JSONType, at: Int)
    /// An object lacks a required member. `at` is the start of the object.
    case missingMember(String, at: Int)
    /// An object has an unknown member.
    case unknownMember(at: Int)

    /// The position of the error; `nil` if it concerns the whole text.
    package var offset: Int? {
        switch self {
        case .truncated(let offset), .trailingBytes(let offset), .unexpectedByte(let offset),
            .numberMalformed(let offset), .stringMalformed(let offset), .invalidUTF8(let offset),
            .duplicateMember(let offset), .tooDeep(let offset), .unexpectedType(_, let offset),
            .missingMember(_, let offset), .unknownMember(let offset):
            offset
        case .tooLong: nil
        }
    }
}

/// The type that is required of a value.
package enum JSONType: String, Equatable, Sendable {
    case string, integer, boolean, array, object
}

extension JSONError {
    /// The error as a text for users, with the position of the byte.
    package var explanation: String {
        switch self {
        case .truncated(let offset): "the text ends inside a value (byte \(offset))"
        case .trailingBytes(let offset): "bytes follow the JSON value (byte \(offset))"
        case .unexpectedByte(let offset): "this is not JSON (byte \(offset))"
        case .numberMalformed(let offset): "a number has a leading zero (byte \(offset))"
        case .stringMalformed(let offset):
            "a string has a character or an escape that JSON does not allow (byte \(offset))"
        case .invalidUTF8(let offset): "a string is not UTF-8 (byte \(offset))"
        case .duplicateMember(let offset): "an object has a duplicate member (byte \(offset))"
        case .tooDeep(let offset): "values are nested too deeply (byte \(offset))"
        case .tooLong(let limit): "the text is longer than \(limit) bytes"
        case .unexpectedType(let expected, let offset): "expected \(expected.name) at byte \(offset)"
        case .missingMember(let name, let offset): "\"\(name)\" is missing from the object at byte \(offset)"
        case .unknownMember(let offset): "an object has an unknown member (byte \(offset))"
        }
    }
}

extension JSONType {
    fileprivate var name: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .boolean: "true or false"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
