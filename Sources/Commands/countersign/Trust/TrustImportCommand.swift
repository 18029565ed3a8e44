internal import ArgumentParser
internal import MdocModel
internal import MdocTrust
internal import ReaderStore

/// `countersign trust import`: takes roots and lists into the trust store.
struct TrustImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take roots and lists into the trust store.",
        discussion: """
            Files are told apart by what they are: a certificate is a root (IACA), or with --as provider the root of a \
            VICAL's provider; VICALs, CRLs and status lists know themselves. Folders are taken whole. Every source is \
            checked before it is let in: a document signer's certificate is no root, a VICAL has to be its provider's, \
            a CRL a root's, and a list that is older than the one that is there, or lost much of it, is refused. \
            What is refused does not keep out the rest.

            EXAMPLES:
              countersign trust import roots/ iaca.pem
              countersign trust import provider.pem --as provider
              countersign trust import vical.cbor issuer.crl status.cwt

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("Files or folders.", valueName: "path"))
    var paths: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "What all of it is: root, provider, vical, crl, status or identifiers.", valueName: "kind"))
    var kind: SourceKindArgument?

    @OptionGroup var staging: StagingArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let rules = try staging.rules(at: now, policy.settings(in: store.path))
        var files = SourceFiles(as: kind?.kind, obtainedAt: now)
        for path in paths { try files.read(path) }
        files.notes.forEach { Terminal.note("note: \($0)") }
        let access = try TrustStoreAccess.changing(store.path)
        let current = try access.currentIfAny()
        var stage = TrustStage(current?.snapshot ?? TrustSnapshot([]), rules)
        stage.admit(files.sources)
        try access.put(stage, after: current, by: .imported, at: now).finish(json: output.json)
    }
}

extension TrustChangeReport {
    /// Writes the report and ends the command with its status.
    func finish(json: Bool) throws {
        Terminal.result(json ? self.json.text : text)
        throw ExitCode(exitStatus.rawValue)
    }
}
