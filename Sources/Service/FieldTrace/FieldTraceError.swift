/// Why a file is not a field trace, or none can be written.
package enum FieldTraceError: Error, Equatable, Sendable {
    /// More bytes than are read.
    case tooLong(limit: Int)
    /// A line with more bytes than are read.
    case lineTooLong(line: Int, limit: Int)
    /// The first line does not name the format `countersign.fieldTrace/1`.
    case notAFieldTrace
    /// A line that no event writes: not JSON, or with another member, word or form of a number.
    case malformedLine(Int)
    /// A word that is not in the list it belongs to.
    case unknownWord
    /// There is no presentation in it.
    case noPresentation
    /// The presentation of that number is not in it.
    case presentationMissing(Int)
    /// No phone was there in the presentation: there is nothing to replay.
    case noTap
    /// OpenSSL has no random bytes.
    case noRandomness
}

extension FieldTraceError {
    package var explanation: String {
        switch self {
        case .tooLong(let limit): "the file is longer than \(limit) bytes"
        case .lineTooLong(let line, let limit): "line \(line) is longer than \(limit) bytes"
        case .notAFieldTrace:
            "the first line does not name the format \(FieldTraceHeader.format): give a file that --field-trace wrote"
        case .malformedLine(let line): "line \(line) is not one that a field trace has"
        case .unknownWord: "a word is not one that a field trace has"
        case .noPresentation: "the field trace has no presentation"
        case .presentationMissing(let number): "the field trace has no presentation \(number)"
        case .noTap: "no phone came to the reader in that presentation: there is nothing to replay"
        case .noRandomness: "OpenSSL has no random bytes"
        }
    }
}
