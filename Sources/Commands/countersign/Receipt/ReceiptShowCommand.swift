internal import MdocVerification
internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore
internal import Reports
internal import RequestPlanner

struct ReceiptShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one receipt in full.",
        discussion: """
            EXAMPLE:
              countersign receipt show 1

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The receipt's number.", valueName: "number"))
    var number: Int64

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let receipts = try TrustStoreAccess.reading(store.path).using { store throws(ReaderStoreError) in
            try store.receipts(after: max(0, number - 1), atMost: 1)
        }
        guard let receipt = receipts.first, receipt.sequence == number else {
            throw CommandFailure.usage("there is no receipt \(number); `countersign receipt list` has all")
        }
        Terminal.result(output.json ? receipt.json.text : receipt.text)
    }
}

extension SignedReceipt {
    fileprivate var text: String {
        let place = [
            "receipt \(sequence)", "  digest: \(digest.hexadecimal)", "  previous: \(previous.hexadecimal)",
            "  signed by key: \(keyID.bytes.hexadecimal)",
        ]
        let said = (try? statement().lines) ?? ["  of a later version of countersign"]
        return (place + said).joined(separator: "\n")
    }
}

extension ReceiptStatement {
    fileprivate var lines: [String] {
        var lines = [
            "  time: \(time)", "  lane: \(lane)", "  request: \(kind.rawValue), purpose \(purpose.rawValue)",
        ]
        lines += questions.map { "  \($0.subject): \($0.answer.rawValue)" }
        lines.append("  verdict: \(verdict.rawValue), by \(method.rawValue)")
        if !reasons.isEmpty { lines.append("  reasons: " + reasons.map(\.id).joined(separator: ", ")) }
        lines += documents.flatMap(\.lines)
        if let trust {
            lines.append("  trust snapshot: \(trust.snapshot), in place for \(trust.ageSeconds) s")
        }
        lines += ["  policy: \(policy)", "  retention: \(retention)", "  software: countersign \(software)"]
        if let decision { lines.append("  decided by a person: \(decision.rawValue)") }
        if let outcome { lines.append("  outcome: \(outcome.rawValue)") }
        return lines
    }
}

extension ReceiptDocument {
    fileprivate var lines: [String] {
        let age = revocation.ageSeconds.map { ", by a list \($0) s old" } ?? ""
        let from = issuer.map { issuer in
            [issuer.country, Terminal.safe(issuer.authority, limit: ReceiptDocument.Issuer.longestName)]
                .compactMap(\.self).joined(separator: ", ")
        }
        return [
            "  document: \(docType)", "    issuer: \(from ?? "none that is trusted")",
            "    revocation: \(revocation.state.rawValue)\(age)",
        ]
    }
}
