internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import OpenSSLCrypto
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// `countersign receipt`: lists, shows, exports and verifies the receipts in the store.
struct ReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show, export and verify receipts, which prove checks without personal data.",
        discussion: """
            A receipt contains the time, the lane, the request, the answer, and the trust and policy that \
            were used. It contains nothing about the holder. If accessories acted on the answer, a later \
            receipt says how each of their outputs ended. Each receipt is signed and has the digest of \
            the receipt before it, so no receipt can be changed, removed or inserted unnoticed. If the last \
            receipts are removed, only a person who knows the digest of a removed receipt notices it. From time to \
            time, write down the digest of the last receipt (the head) in another place.

            EXAMPLES:
              countersign receipt list
              countersign receipt export receipts.cbor --public-keys receipt-keys.pem
              countersign receipt verify receipts.cbor --key receipt-keys.pem
            """,
        subcommands: [
            ReceiptListCommand.self, ReceiptShowCommand.self, ReceiptExportCommand.self,
            ReceiptVerifyCommand.self, ReceiptRenewKeyCommand.self,
        ])
}

/// `countersign receipt list`: lists receipts, then the head of the chain, which is the digest of the last
/// receipt.
private struct ReceiptListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List receipts, the earliest first.",
        discussion: """
            The head is the digest of the last receipt in the store.

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
            throw ValidationError("--after takes 0 or more, and --limit takes 1 or more.")
        }
    }

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let receipts = try access.using { store throws(ReaderStoreError) in
            try store.receipts(after: after, atMost: limit)
        }
        let last = try access.using { store throws(ReaderStoreError) in try store.lastReceipt() }
        let head = last?.digest.hexadecimal
        // Receipts are numbered from 1 without gaps, so the number of the last receipt is also the count.
        guard !output.json else {
            let list: JSONValue = [
                "receipts": .array(receipts.map(\.json)), "count": .integer(last?.sequence ?? 0),
                "head": JSONValue(head),
            ]
            return Terminal.result(list.text)
        }
        let lines = receipts.map(\.line)
        let end =
            head.map { "receipts: \(last?.sequence ?? 0); head: \($0)" }
            ?? "no receipts yet in the store \(Terminal.safe(store.path))"
        Terminal.result((lines + [end]).joined(separator: "\n"))
    }
}

extension SignedReceipt {
    /// The receipt in one line: number, time and lane, then verdict and answers, or the states of outputs.
    fileprivate var line: String {
        let number = "\(sequence)"
        guard let contents = try? contents() else {
            // A later version of countersign wrote this receipt in another format. Its number and signature
            // can still be read, so the list continues with the next receipt.
            return "\(number)  cannot be shown: a later version of countersign wrote it; update countersign"
        }
        return ([number, contents.time.description] + contents.words).joined(separator: "  ")
    }
}

extension ReceiptContent {
    /// The parts of a receipt's line that follow its time.
    fileprivate var words: [String] {
        switch self {
        case .presentation(let statement):
            [statement.lane.text, statement.verdict.rawValue]
                + statement.questions.map { "\($0.subject) \($0.answer.rawValue)" }
        case .outputs(let statement):
            [statement.lane.text, "outputs of receipt \(statement.receipt)"]
                + statement.outputs.map { "\($0.accessory) \($0.state.rawValue)" }
        }
    }
}

/// `countersign receipt show`: shows one receipt in full.
private struct ReceiptShowCommand: ParsableCommand {
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
            // `receipts(after:)` returns the receipt that follows the given number. If `number` is 0 or less,
            // receipt 1 is read, and the comparison of `sequence` below refuses it.
            try store.receipts(after: max(0, number - 1), atMost: 1)
        }
        guard let receipt = receipts.first, receipt.sequence == number else {
            throw CommandFailure.usage(
                "there is no receipt \(number); `countersign receipt list` lists all receipts")
        }
        Terminal.result(output.json ? receipt.json.text : receipt.text)
    }
}

extension SignedReceipt {
    fileprivate var text: String {
        let heading = [
            "receipt \(sequence)", "  digest: \(digest.hexadecimal)", "  previous: \(previous.hexadecimal)",
            "  signed by key: \(keyID.bytes.hexadecimal)",
        ]
        let body =
            (try? contents().lines) ?? ["  cannot be shown: written by a later version of countersign"]
        return (heading + body).joined(separator: "\n")
    }
}

extension ReceiptContent {
    fileprivate var lines: [String] {
        switch self {
        case .presentation(let statement): statement.lines
        case .outputs(let statement): statement.lines
        }
    }
}

extension OutputsStatement {
    fileprivate var lines: [String] {
        ["  time: \(time)", "  lane: \(lane)", "  outputs of the presentation with receipt \(receipt):"]
            + outputs.map { "    \($0.accessory): \($0.state.rawValue)" }
            + ["  software: countersign \(software)"]
    }
}

extension ReceiptStatement {
    fileprivate var lines: [String] {
        var lines = [
            "  time: \(time)", "  lane: \(lane)", "  request: \(kind.rawValue), purpose \(purpose.rawValue)",
        ]
        lines += questions.map { "  \($0.subject): \($0.answer.rawValue)" }
        lines.append("  verdict: \(verdict.rawValue), by \(method.name)")
        if !reasons.isEmpty { lines.append("  reasons: " + reasons.map(\.id).joined(separator: ", ")) }
        lines += documents.flatMap(\.lines)
        if let trust {
            lines.append(
                "  trust snapshot: \(trust.snapshot), \(trust.ageSeconds) s old at the time of the check")
        }
        lines += ["  policy: \(policy)", "  retention: \(retention)", "  software: countersign \(software)"]
        lines += secondVersionLines
        if let decision {
            let source = decisionSource == .comparator ? "a comparator of faces" : "a person"
            lines.append("  decided by \(source): \(decision.rawValue)")
        }
        if let outcome { lines.append("  outcome: \(outcome.rawValue)") }
        return lines
    }

    /// The lines about members of version 2; empty for a statement of version 1.
    private var secondVersionLines: [String] {
        var lines: [String] = []
        if let engagement { lines.append("  engagement: \(engagement.rawValue)") }
        if let proof {
            let circuit = proof.circuitVersion.map { ", circuit version \($0)" } ?? ""
            lines.append("  proof: \(proof.name)\(circuit)")
        }
        if let manual = method.manual {
            lines.append(
                "  check by a person: saw \(manual.seen.rawValue), because of \(manual.why.rawValue)")
        }
        if let decisionSource {
            let person = decisionSource.person.map { ", person \($0.bytes.hexadecimal)" } ?? ""
            lines.append("  decided from: \(decisionSource.name)\(person)")
        }
        return lines
    }
}

extension ReceiptDocument {
    fileprivate var lines: [String] {
        let age = revocation.ageSeconds.map { ", according to a list that was \($0) s old" } ?? ""
        let from = issuer.map { issuer in
            [issuer.country, Terminal.safe(issuer.authority, limit: ReceiptDocument.Issuer.longestName)]
                .compactMap(\.self).joined(separator: ", ")
        }
        return [
            "  document: \(docType)", "    issuer: \(from ?? "not trusted")",
            "    revocation: \(revocation.state.rawValue)\(age)",
        ]
    }
}

/// `countersign receipt export`: writes the chain of receipts and the public keys to files.
private struct ReceiptExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write all receipts to one file, unchanged and with their signatures.",
        discussion: """
            On any computer, `countersign receipt verify` checks the file with the public keys. \
            Send the public keys to the person who checks the file, separately from the file.

            EXAMPLE:
              countersign receipt export receipts.cbor --public-keys receipt-keys.pem

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp("Write the public halves of the keys to this file, as PEM.", valueName: "file"))
    var publicKeys: String?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let access = try TrustStoreAccess.reading(store.path)
        let chain = try access.using { store throws(ReaderStoreError) in try store.receiptChain() }
        let keys = try access.using { store throws(ReaderStoreError) in try store.receiptKeys() }
        try OutputFile.write(chain.encoded(), to: file)
        if let publicKeys { try OutputFile.write(Self.pem(of: keys), to: publicKeys) }
        let head = chain.head?.hexadecimal
        let json: JSONValue = [
            "receipts": .integer(Int64(chain.links.count)), "head": JSONValue(head),
            "keys": .array(keys.map { .string($0.id.bytes.hexadecimal) }),
        ]
        Terminal.result(
            output.json
                ? json.text
                : "\(Terminal.safe(file)): \(chain.links.count) receipts"
                    + (head.map { "; head: \($0)" } ?? ""))
    }

    private static func pem(of keys: [ReceiptPublicKey]) throws(CommandFailure) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            var text: [UInt8] = []
            for key in keys { text += try key.pem() }
            return text
        } catch {
            throw .malformed("a public key of receipts cannot be written: \(error.explanation)")
        }
    }
}

/// `countersign receipt renew-key`: replaces the key that signs receipts.
private struct ReceiptRenewKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renew-key",
        abstract: "Make a new key that signs the next receipts.",
        discussion: """
            The chain of receipts continues; each receipt says which key signed it. The old private key is \
            deleted. `export` still writes the public half of the old key, and writes the public half of the \
            new key after the first receipt that the new key signed.

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        // The store is opened for reading first, because opening it for changes would create a missing store,
        // which has no receipts.
        _ = try TrustStoreAccess.reading(store.path)
        let id = try TrustStoreAccess.changing(store.path).using { store throws(ReaderStoreError) in
            try store.renewReceiptKey()
        }
        let key = id.bytes.hexadecimal
        let json: JSONValue = ["key": .string(key)]
        Terminal.result(output.json ? json.text : "the next receipt will be signed with key \(key)")
    }
}
