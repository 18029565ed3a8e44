internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import TrustFetch

/// `countersign trust import`: adds roots and lists to the trust store.
struct TrustImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import roots and lists into the trust store.",
        discussion: """
            The kind of a file is detected from its contents: VICAL, CRL, status list or certificate. A \
            certificate is a root (IACA), or with --as provider the root of a VICAL's provider. From a \
            folder, all files are imported.

            Every source is checked before it is imported. A document signer's certificate is refused \
            because it is not a root. A VICAL must be signed by a certificate under its provider's root, and \
            a CRL by one of the roots. A list is refused if it is older than the present list or lost many \
            of its entries. If one source is refused, the others are imported.

            With --as you can also give the URL of a list. `countersign trust update` fetches such a list again.

            EXAMPLES:
              countersign trust import roots/ iaca.pem
              countersign trust import provider.pem --as provider
              countersign trust import vical.cbor issuer.crl status.cwt
              countersign trust import https://vical.example/vical.cbor --as vical

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("Files, folders or URLs.", valueName: "path"))
    var paths: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The kind of all given files: root, provider, vical, crl, status or identifiers.",
            valueName: "kind"))
    var kind: SourceKindArgument?

    @OptionGroup var fetching: FetchArguments
    @OptionGroup var staging: StagingArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard kind != nil || !paths.contains(where: \.isURL) else {
            throw ValidationError("A URL needs --as: root, vical, crl, status or identifiers.")
        }
    }

    func run() async throws {
        let now = try clock.now()
        let rules = try staging.rules(at: now, policy.settings(in: store.path))
        var files = SourceFiles(as: kind?.kind, obtainedAt: now)
        for path in paths where !path.isURL { try files.read(path) }
        files.notes.forEach { Terminal.message("note: \($0)") }
        var targets: [FetchTarget] = []
        if let kind = kind?.kind {
            for path in paths where path.isURL { targets.append(try FetchTarget(kind, argument: path)) }
        }
        guard !files.sources.isEmpty || !targets.isEmpty else {
            let searched = paths.map { Terminal.safe($0) }.joined(separator: ", ")
            throw CommandFailure.usage(
                "\(searched): no certificate and no list was found, so nothing is imported")
        }
        let access = try TrustStoreAccess.changing(store.path)
        try await access.importing(files.sources, and: targets, by: fetching, rules).finish(json: output.json)
    }
}

extension String {
    var isURL: Bool { contains("://") }
}

extension TrustChangeReport {
    /// Prints the report and ends the command with the report's exit status.
    func finish(json: Bool) throws {
        Terminal.result(json ? self.json.text : text)
        throw ExitCode(exitStatus.rawValue)
    }
}
