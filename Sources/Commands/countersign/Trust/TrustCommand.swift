internal import ArgumentParser
internal import CommandLineInterface
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust`: manages the roots and lists in the trust store.
struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Manage which issuers are trusted: roots, lists, revocations.",
        discussion: """
            The trust store holds roots (IACA) of issuing authorities, lists of such roots (VICAL) with the roots of \
            their providers, and lists of what was revoked (CRLs, status lists). All of it at one time is a snapshot \
            with an id; every result of `verify` and `request` names the snapshot that it used. A change is checked \
            before it takes the place of what is there, at once, and `rollback` takes it back.

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

/// `countersign trust rollback`: makes an earlier snapshot current again.
private struct TrustRollbackCommand: ParsableCommand {
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
        // Opened for reading first: opening for changes would create a missing store, which has no snapshot.
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
