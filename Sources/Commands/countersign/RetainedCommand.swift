internal import ArgumentParser
internal import CommandLineInterface
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import ReaderStore
internal import Reports

/// `countersign retained`: lists, exports and removes the retained data of data requests.
struct RetainedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retained",
        abstract: "List, export and remove the retained data of data requests.",
        discussion: """
            Retained data is encrypted, with keys in a folder outside of the store. The daemon removes the \
            data at its deadline. Use these commands to look at the data, or to export and remove it while \
            the daemon is off.

            EXAMPLES:
              countersign retained list
              countersign retained export booking-4711 booking-4711.json
              countersign retained purge
            """,
        subcommands: [RetainedListCommand.self, RetainedExportCommand.self, RetainedPurgeCommand.self])
}

/// `countersign retained list`: lists retained data without decrypting it.
private struct RetainedListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the retained data with its deadlines, without decrypting it.",
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
        let handedOut = handedOut.map { "  exported at \($0), but not removed" } ?? ""
        return "until \(deadline)  \(Terminal.safe(docType, limit: 80))  \(profile)  \(names)\(handedOut)"
    }
}

/// `countersign retained export`: writes the retained data of a reference to a file, then removes it from the
/// store.
private struct RetainedExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Export the data that is retained under a reference to a JSON file, and remove the data from the store.",
        discussion: """
            The data is removed after the file is safely on the disk. If an export is interrupted before the \
            removal, you can export the data again. The next export then reports the interruption, because \
            the file of the first export may be complete.

            EXAMPLE:
              countersign retained export booking-4711 booking-4711.json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(
        help: ArgumentHelp(
            "The reference of the order. If the order had none, the id of its presentation.",
            valueName: "reference"))
    var reference: String

    @Argument(help: ArgumentHelp("The file to write. It must not exist yet.", valueName: "file"))
    var file: String

    @OptionGroup var retained: RetainedArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        // The file is created before the export begins, and the data is removed only after the file has been
        // written to the disk. So no interruption loses data.
        var begun: RetainedExport?
        try OutputFile.writeNew(to: file) { () throws(CommandFailure) in
            let export = try retained.using(.changing) { retained throws(ReaderStoreError) in
                try retained.beginExport(of: RetainedReference(reference), at: now)
            }
            guard !export.records.isEmpty else {
                throw .usage(
                    "no data is retained for this reference: it was never retained, was already exported, or was removed at its deadline"
                )
            }
            begun = export
            return Array((export.json.text + "\n").utf8)
        }
        // The export is never `nil` here, because `writeNew` throws unless its closure has set the export.
        guard let export = begun else { return }
        try retained.using(.changing) { retained throws(ReaderStoreError) in
            try retained.finish(export.records.map(\.id))
        }
        let earlier = export.earlier.map { "\($0)" }
        let json: JSONValue = [
            "records": .integer(Int64(export.records.count)), "handedOutBefore": JSONValue(earlier),
        ]
        Terminal.result(
            output.json
                ? json.text
                : "\(Terminal.safe(file)): \(export.records.count) records, removed from the store"
                    + (earlier.map { "; they were already exported at \($0)" } ?? ""))
    }
}

/// `countersign retained purge`: removes retained data whose deadline has passed.
private struct RetainedPurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract:
            "Remove retained data whose deadline has passed, and encryption keys that are no longer needed.",
        discussion: """
            Each day (UTC) has its own key, which encrypts the data whose deadline is on that day. The key \
            is removed after the day.

            With --at, data whose deadline is the given time or earlier is removed. The store remembers the \
            given time while it retains data, so a clock that is set back later does not extend a deadline.

            EXAMPLE:
              countersign retained purge

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var retained: RetainedArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let (count, due) = try retained.using(.changing) { retained throws(ReaderStoreError) in
            (try retained.purge(at: now), try retained.nextDue())
        }
        let next = due.map { "\($0)" }
        let json: JSONValue = ["purged": .integer(count), "nextDue": JSONValue(next)]
        Terminal.result(
            output.json
                ? json.text
                : "purged: \(count)" + (next.map { "; next deadline: \($0)" } ?? "; nothing is retained"))
    }
}

/// `--store` and `--keys`: the folders of retained data and of its keys.
struct RetainedArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The folder with the keys of retained data.",
            discussion:
                "By default $COUNTERSIGN_KEYS. Without this variable, the path of the store's folder with -keys appended.",
            valueName: "folder"))
    var keys: String?

    /// Performs `body` with the retained data of an existing store.
    func using<Value>(
        _ access: ReaderStore.Access, _ body: (RetainedRecords) throws(ReaderStoreError) -> Value
    ) throws(CommandFailure) -> Value {
        // The store is opened for reading first, because opening it for changes would create a missing store,
        // which has no retained data.
        let reading = try TrustStoreAccess.reading(store.path)
        let opened =
            switch access {
            case .reading: reading
            case .changing: try TrustStoreAccess.changing(store.path)
            }
        let folder =
            // An empty environment variable counts as not set.
            keys ?? ProcessInfo.processInfo.environment["COUNTERSIGN_KEYS"].flatMap { $0.isEmpty ? nil : $0 }
        return try opened.using { store throws(ReaderStoreError) in
            try body(RetainedRecords(in: store, keysIn: folder))
        }
    }
}
