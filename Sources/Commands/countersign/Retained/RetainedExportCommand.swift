internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import ReaderStore
internal import Reports

/// `countersign retained export`: writes what is retained for a reference once, then deletes it.
struct RetainedExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write what is retained for a reference to a file, as JSON, and remove it from the store.",
        discussion: """
            It is removed once the file is on the disk. Where that was interrupted the next export says so: the file of \
            the first may be whole.

            EXAMPLE:
              countersign retained export booking-4711 booking-4711.json

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(
        help: ArgumentHelp(
            "The reference of the order, or its presentation's id where it had none.", valueName: "reference")
    )
    var reference: String

    @Argument(help: ArgumentHelp("The file to write, which must not exist yet.", valueName: "file"))
    var file: String

    @OptionGroup var retained: RetainedArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        var begun: RetainedExport?
        try OutputFile.writeNew(to: file) { () throws(CommandFailure) in
            let export = try retained.using(.changing) { retained throws(ReaderStoreError) in
                try retained.beginExport(of: RetainedReference(reference), at: now)
            }
            guard !export.records.isEmpty else {
                throw .usage(
                    "no data is retained for this reference: it was never retained, was exported, or was deleted at its deadline"
                )
            }
            begun = export
            return Array((export.json.text + "\n").utf8)
        }
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
                    + (earlier.map { "; they were handed out before, at \($0)" } ?? ""))
    }
}
