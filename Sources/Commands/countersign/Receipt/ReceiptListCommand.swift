internal import MdocVerification
internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports

struct ReceiptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List receipts, the earliest first.",
        discussion: """
            The head is the digest of the last receipt of all.

            EXAMPLE:
              countersign receipt list --after 100 --limit 20

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Option(name: .long, help: ArgumentHelp("List only receipts after this number.", valueName: "number"))
    var after: Int64 = 0

    @Option(name: .long, help: ArgumentHelp("List at most this many receipts.", valueName: "count"))
    var limit = 100

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard after >= 0, limit > 0 else {
            throw ValidationError("--after takes 0 or more, --limit 1 or more.")
        }
    }

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let receipts = try access.using { store throws(ReaderStoreError) in
            try store.receipts(after: after, atMost: limit)
        }
        let last = try access.using { store throws(ReaderStoreError) in try store.lastReceipt() }
        let head = last?.digest.hexadecimal
        guard !output.json else {
            let list: JSONValue = [
                "receipts": .array(receipts.map(\.json)), "count": .integer(last?.sequence ?? 0),
                "head": JSONValue(head),
            ]
            return Terminal.result(list.text)
        }
        let lines = receipts.map(\.line)
        let end = head.map { "receipts: \(last?.sequence ?? 0); head: \($0)" } ?? "no receipts yet"
        Terminal.result((lines + [end]).joined(separator: "\n"))
    }
}

extension SignedReceipt {
    /// What is most asked of it, in one line.
    fileprivate var line: String {
        guard let statement = try? statement() else { return "\(sequence)  of a later version" }
        let answers = statement.questions.map { "\($0.subject) \($0.answer.rawValue)" }
        return
            ([
                "\(sequence)", statement.time.description, statement.lane.text, statement.verdict.rawValue,
            ] + answers).joined(separator: "  ")
    }
}
