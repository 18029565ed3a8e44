internal import ArgumentParser
internal import CommandLineInterface
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust`: manages the roots and lists in the trust store.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Manage which issuers are trusted: roots, lists and revocations.",
        discussion: """
            The trust store has the roots (IACA) of issuing authorities, lists of such roots (VICAL) with \
            the roots of their providers, and lists of revocations (CRLs, status lists). The contents at one \
            time are a snapshot with an id; every result of `verify` and `request` names the snapshot that \
            was used. A change is checked first and then makes a new snapshot in one step. `rollback` \
            returns to an earlier snapshot.

            EXAMPLES:
              countersign trust import roots/ iaca.pem
              countersign trust import provider.pem --as provider
              countersign trust import https://vical.example/vical.cbor --as vical
              countersign trust update
              countersign trust lint
            """,
        subcommands: [
            TrustListCommand.self, TrustShowCommand.self, TrustSourcesCommand.self, TrustAddCommand.self,
            TrustImportCommand.self, TrustRemoveCommand.self,
            TrustUpdateCommand.self, TrustDiffCommand.self, TrustRollbackCommand.self, TrustLintCommand.self,
            TrustExportBundleCommand.self, TrustImportBundleCommand.self,
        ])
}

/// `countersign trust remove`: removes sources from the trust store.
private struct TrustRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove roots and lists from the trust store.",
        discussion: """
            Give a source as `countersign trust list` shows it: its name, or the beginning of its SHA-256.

            EXAMPLE:
              countersign trust remove aamva

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The sources: names or beginnings of digests.", valueName: "source"))
    var sources: [String]

    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        // The store is opened for reading first, because opening it for changes would create a missing store,
        // which has no sources.
        let access = try TrustStoreAccess.reading(store.path)
        let current = try access.current()
        var stage = TrustStage(current.snapshot, TrustRules(now: now))
        for name in sources { stage.remove(try SourceSelector(name).only(in: current.snapshot)) }
        try TrustStoreAccess.changing(store.path).save(stage, after: current, by: .removed, at: now)
            .finish(json: output.json)
    }
}

/// `countersign trust rollback`: makes an earlier snapshot current again.
private struct TrustRollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Make an earlier snapshot the current one again.",
        discussion: """
            Without an id, the snapshot before the current one is used. The snapshot that you leave is kept, \
            so you can return to it by its id.

            EXAMPLE:
              countersign trust rollback

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The id of the snapshot, or its beginning.", valueName: "id"))
    var snapshot: SnapshotArgument?

    @OptionGroup var store: StoreArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        // The store is opened for reading first, because opening it for changes would create a missing store,
        // which has no snapshot.
        _ = try TrustStoreAccess.reading(store.path)
        let access = try TrustStoreAccess.changing(store.path)
        let previous = try access.history().first(where: \.isCurrent)?.id
        let prefix = snapshot?.prefix
        let record = try access.using { store throws(ReaderStoreError) in
            try store.rollBackTrust(toIDPrefix: prefix)
        }
        // The sources of an earlier snapshot are not checked again, so there are no outcomes to report.
        try TrustChangeReport(previous: previous, current: record, outcomes: []).finish(json: output.json)
    }
}
