internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import ReaderStore

struct RetainedListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is retained and until when, without opening it.",
        discussion: ExitStatus.table([.success, .usage, .malformed, .unavailable]))

    @OptionGroup var retained: RetainedArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let (records, counts) = try retained.using(.reading) { retained throws(ReaderStoreError) in
            (try retained.list(), try retained.counts())
        }
        guard !output.json else {
            let json: JSONValue = [
                "records": .array(records.map(\.json)), "purged": .integer(counts.purged),
                "exported": .integer(counts.exported),
            ]
            return Terminal.result(json.text)
        }
        let end = "retained: \(counts.records); purged: \(counts.purged); exported: \(counts.exported)"
        Terminal.result((records.map(\.line) + [end]).joined(separator: "\n"))
    }
}

extension RetainedSummary {
    fileprivate var json: JSONValue {
        [
            "id": .string(id.bytes.hexadecimal), "docType": .string(docType),
            "profile": .string(profile.name), "consent": .string(consent.rawValue),
            "retained": .string("\(retained)"), "deadline": .string("\(deadline)"),
            "elements": .array(
                names.map { ["nameSpace": .string($0.nameSpace), "element": .string($0.identifier)] }),
            "handedOut": JSONValue(handedOut.map { "\($0)" }),
        ]
    }

    fileprivate var line: String {
        let names = names.map { Terminal.safe($0.identifier, limit: 80) }.joined(separator: ", ")
        let handedOut = handedOut.map { "  handed out at \($0), and not removed" } ?? ""
        return "until \(deadline)  \(Terminal.safe(docType, limit: 80))  \(profile)  \(names)\(handedOut)"
    }
}
