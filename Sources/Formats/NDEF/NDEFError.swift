/// What is wrong with received NDEF bytes.
package enum NDEFError: Error, Equatable, Sendable {
    /// The message ends inside the record that starts at this offset.
    case truncated(at: Int)
    case emptyMessage
    /// The message exceeds the limit on its size in bytes.
    case messageTooLong(count: Int)
    /// The message has more records than the limit.
    case tooManyRecords
    /// MB is missing on the first record or set on a later one, at this offset.
    case misplacedMessageBegin(at: Int)
    /// Bytes follow the record that has ME, from this offset.
    case trailingBytes(at: Int)
    /// The record at this offset is a chunk (CF, or TNF "unchanged"), which Type 4 Tags do not use.
    case chunkedRecord(at: Int)
    /// The record at this offset has a type, id or payload that its TNF forbids.
    case fieldsContradictTypeNameFormat(at: Int)
    /// No record of the type that was asked for.
    case recordMissing
    /// More than one record where exactly one can count.
    case recordRepeated
    /// A record's payload does not have its type's form.
    case malformedPayload
    /// A handover or TNEP version that is not 1.x; the value is the version byte.
    case unsupportedVersion(UInt8)
}
