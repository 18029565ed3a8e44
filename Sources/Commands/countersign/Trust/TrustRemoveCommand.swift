internal import ArgumentParser
internal import CommandLineInterface
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust remove`: takes a source out of the trust store.
struct TrustRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove roots and lists from the trust store.",
        discussion: """
            A source is named as `countersign trust list` shows it: by its name, or by how its SHA-256 begins.

            EXAMPLE:
              countersign trust remove aamva

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("Names or beginnings of digests.", valueName: "source"))
    var sources: [String]

    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let access = try TrustStoreAccess.reading(store.path)
        let current = try access.current()
        var stage = TrustStage(current.snapshot, TrustRules(now: now))
        for name in sources { stage.remove(try SourceSelector(name).only(in: current.snapshot)) }
        try TrustStoreAccess.changing(store.path).put(stage, after: current, by: .removed, at: now)
            .finish(json: output.json)
    }
}
