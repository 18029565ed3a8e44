/// The reason why a file is not a field trace, or why no trace can be written or replayed.
package enum FieldTraceError: Error, Equatable, Sendable {
    /// The file has more than `limit` bytes.
    case tooLong(limit: Int)
    /// A line has more than `limit` bytes.
    case lineTooLong(line: Int, limit: Int)
    /// The first line does not name the format `countersign.fieldTrace/1`.
    case notAFieldTrace
    /// A line is not in the exact form in which a recorder writes an event. For example, the line is not
    /// JSON, a member or a text is unknown, or a number is written differently.
    case malformedLine(Int)
    /// A text is not in the closed list of its member, or is not a token or a version. `FieldTrace.parse`
    /// reports this error as `malformedLine`.
    case unknownWord
    /// The trace has no presentation.
    case noPresentation
    /// The trace has no presentation with this number.
    case presentationMissing(Int)
    /// No phone came to the reader in the presentation, so there is nothing to replay.
    case noTap
    /// OpenSSL could not generate random bytes for the key of the tokens.
    case noRandomness
}

extension FieldTraceError {
    package var explanation: String {
        switch self {
        case .tooLong(let limit): "the file is longer than \(limit) bytes"
        case .lineTooLong(let line, let limit): "line \(line) is longer than \(limit) bytes"
        case .notAFieldTrace:
            "the first line does not name the format \(FieldTraceHeader.format): give a file that --field-trace wrote"
        case .malformedLine(let line): "line \(line) does not have the form of a line in a field trace"
        case .unknownWord: "a line has a member or a word that field traces do not have"
        case .noPresentation: "the field trace has no presentation"
        case .presentationMissing(let number): "the field trace has no presentation \(number)"
        case .noTap: "no phone came to the reader in this presentation: there is nothing to replay"
        case .noRandomness: "OpenSSL gave no random bytes for the tokens of the trace"
        }
    }
}
