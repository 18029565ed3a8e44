internal import MdocModel
internal import MdocVerification
internal import RequestPlanner
internal import ReaderStore
internal import Reports

/// Receipts as CSV (RFC 4180), with one line for each receipt.
struct ReceiptTable: Sendable {
    static let contentType = "text/csv; charset=utf-8; header=present"
    static let heading = line(columns)

    /// The names of the columns. Later versions of the program add columns at the end.
    private static let columns = [
        "number", "time", "lane", "kind", "purpose", "outcome", "verdict", "decision", "test", "questions",
        "reasons", "policy", "retention", "software", "digest", "repeats", "engagement", "of", "outputs",
    ]

    /// The line of a receipt. If a later version made the receipt, the line has only its number and its
    /// digest.
    static func line(of receipt: SignedReceipt) -> String {
        var fields = ["number": receipt.id, "digest": receipt.digest.hexadecimal]
        switch try? receipt.contents() {
        case .presentation(let statement): fields.merge(Self.fields(of: statement)) { own, _ in own }
        case .outputs(let statement): fields.merge(Self.fields(of: statement)) { own, _ in own }
        case nil: break
        }
        return line(columns.map { fields[$0] ?? "" })
    }

    private static func fields(of statement: ReceiptStatement) -> [String: String] {
        [
            "time": "\(statement.time)", "lane": statement.lane.text, "kind": statement.kind.rawValue,
            "purpose": statement.purpose.rawValue, "outcome": statement.outcome?.rawValue ?? "",
            "verdict": statement.verdict.rawValue, "decision": statement.decision?.rawValue ?? "",
            "test": statement.hasTestDocument ? "yes" : "no",
            "questions": statement.questions.map { "\($0.subject)=\($0.answer.rawValue)" }
                .joined(separator: " "),
            "reasons": statement.reasons.map(\.id).joined(separator: " "), "policy": statement.policy.text,
            "retention": statement.retention.name, "software": statement.software.text,
            "repeats": statement.repeats?.text ?? "", "engagement": statement.engagement?.rawValue ?? "",
        ]
    }

    private static func fields(of statement: OutputsStatement) -> [String: String] {
        [
            "time": "\(statement.time)", "lane": statement.lane.text, "kind": OutputsStatement.kind,
            "software": statement.software.text, "of": "\(statement.receipt)",
            "outputs": statement.outputs.map { "\($0.accessory.text)=\($0.state.rawValue)" }
                .joined(separator: " "),
        ]
    }

    private static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// Returns the field in quotes. A leading `=`, `+`, `-`, `@`, tab or CR gets an apostrophe, so that a
    /// spreadsheet does not read a lane's name such as `-1` as a formula.
    static func field(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        return "\"\((isFormula ? "'" : "") + text.replacing("\"", with: "\"\""))\""
    }
}
