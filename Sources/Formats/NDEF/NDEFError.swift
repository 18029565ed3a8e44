/// An error in received NDEF data. Offsets count from the first byte of the message.
package enum NDEFError: Error, Equatable, Sendable {
    /// The message ends inside the record that starts at this offset.
    case truncated(at: Int)
    case emptyMessage
    /// The message is longer than the limit. The associated value is the message's number of bytes.
    case messageTooLong(count: Int)
    /// The message has more records than the limit.
    case tooManyRecords
    /// The flag MB is missing in the first record, or is set in a later record. The associated value is that
    /// record's offset.
    case misplacedMessageBegin(at: Int)
    /// Bytes follow the record with the flag ME. The associated value is the offset of the first such byte.
    case trailingBytes(at: Int)
    /// The record at this offset is a chunk (flag CF or TNF "unchanged"), which Type 4 Tags do not use.
    case chunkedRecord(at: Int)
    /// The record at this offset has a type, id or payload that its TNF does not allow, or it lacks a
    /// required type.
    case fieldsContradictTypeNameFormat(at: Int)
    /// The message has no record of the requested type.
    case recordMissing
    /// The message has more than one record of a type that may occur once.
    case recordRepeated
    /// The payload of a record is malformed for its type.
    case malformedPayload
    /// The version of Connection Handover or TNEP is not 1.x. The associated value is the version byte.
    case unsupportedVersion(UInt8)
}
