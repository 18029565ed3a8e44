internal import ArgumentParser
internal import CommandLineInterface
internal import MdocTrust
internal import ReaderStore

/// `countersign trust rollback`: makes an earlier snapshot current again.
struct TrustRollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Make an earlier snapshot the current one again.",
        discussion: """
            Without an id the snapshot before the current one. Nothing is lost: the one that is left stays among those \
            that are kept, and can be named.

            EXAMPLE:
              countersign trust rollback

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The snapshot: its id, or the beginning of it.", valueName: "id"))
    var snapshot: SnapshotArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        // A store that is not there is not set up for this.
        _ = try TrustStoreAccess.reading(store.path)
        let access = try TrustStoreAccess.changing(store.path)
        let previous = try access.history().first(where: \.isCurrent)?.id
        let prefix = snapshot?.prefix
        let record = try access.using { store throws(ReaderStoreError) in
            try store.rollBackTrust(toIDPrefix: prefix)
        }
        try TrustChangeReport(previous: previous, current: record, outcomes: []).finish(json: output.json)
    }
}
