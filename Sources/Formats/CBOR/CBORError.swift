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
    /// More bytes than the limit.
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
