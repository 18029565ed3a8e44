internal import MdocVerification
internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// Receipts as a table in CSV (RFC 4180), one a line.
struct ReceiptTable: Sendable {
    static let contentType = "text/csv; charset=utf-8; header=present"
    static let heading = line([
        "number", "time", "lane", "kind", "purpose", "outcome", "verdict", "decision", "test", "questions",
        "reasons", "policy", "retention", "software", "digest",
    ])

    /// A receipt that a later version made has its number and its digest alone.
    static func line(of receipt: SignedReceipt) -> String {
        guard let statement = try? receipt.statement() else {
            return line([receipt.id] + [String](repeating: "", count: 13) + [receipt.digest.hexadecimal])
        }
        return line([
            receipt.id, "\(statement.time)", statement.lane.text, statement.kind.rawValue,
            statement.purpose.rawValue, statement.outcome?.rawValue ?? "", statement.verdict.rawValue,
            statement.decision?.rawValue ?? "", statement.hasTestDocument ? "yes" : "no",
            statement.questions.map { "\($0.subject)=\($0.answer.rawValue)" }.joined(separator: " "),
            statement.reasons.map(\.id).joined(separator: " "), statement.policy.text,
            statement.retention.name, statement.software.text, receipt.digest.hexadecimal,
        ])
    }

    private static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// Quoted, and never the beginning of a formula for a spreadsheet: a lane may be named `-1` or `+1`.
    static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        return "\"\((isFormula ? "'" : "") + text.replacing("\"", with: "\"\""))\""
    }
}
