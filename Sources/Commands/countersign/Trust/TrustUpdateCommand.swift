internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import ReaderStore
internal import TrustFetch

/// `countersign trust update`: fetches VICALs, CRLs and status lists again.
struct TrustUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Fetch VICALs, CRLs and status lists again.",
        discussion: """
            Fetches the lists that were imported from a URL, and the CRLs that the roots name. Lists are \
            fetched over HTTPS, and CRLs also over HTTP, because CRLs are signed. Each list is checked \
            before it replaces the present one. If a list cannot be fetched or is refused, the present list \
            stays and the others are still updated. Roots and providers are never fetched again.

            EXAMPLES:
              countersign trust update
              countersign trust update --json

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @OptionGroup var fetching: FetchArguments
    @OptionGroup var staging: StagingArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let now = try clock.now()
        let rules = try staging.rules(at: now, policy.settings(in: store.path))
        let fetcher = try fetching.fetcher()
        let current = try TrustStoreAccess.reading(store.path).current()
        var stage = TrustStage(current.snapshot, rules)
        // VICALs come first, because the roots in a new VICAL may contain the addresses of CRLs, which are
        // fetched next.
        let lists = Self.targets(in: stage.snapshot) { $0 == .vical }
        stage.admit(await fetcher.showingProgress(of: lists, at: now))
        // A root may have been imported from a URL, but roots are never fetched again.
        let others = Self.targets(in: stage.snapshot) { $0 != .vical && $0 != .anchor }
        stage.admit(await fetcher.showingProgress(of: others, at: now))
        for refusal in FetchPlan(renewing: stage.snapshot).refused {
            Terminal.message(
                "note: \(Terminal.safe(refusal.identity.name)) is not fetched: \(refusal.fault.explanation)")
        }
        if stage.outcomes.isEmpty {
            Terminal.message(
                "note: nothing was fetched: no list was imported from a URL, and no root names the URL of a CRL"
            )
        }
        try TrustStoreAccess.changing(store.path).save(stage, after: current, by: .updated, at: now)
            .finish(json: output.json)
    }

    /// Returns the lists of the wanted kinds for which the snapshot has a URL.
    private static func targets(
        in snapshot: TrustSnapshot, _ isWanted: (TrustSource.Kind) -> Bool
    ) -> [FetchTarget] {
        FetchPlan(renewing: snapshot).targets.filter { isWanted($0.identity.kind) }
    }
}

/// `countersign trust add`: imports a published list together with the root of its provider.
struct TrustAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Trust the provider of a published list, and import the list.",
        discussion: """
            `countersign trust sources` shows the names. Give the provider's root in a file that you \
            obtained and compared yourself; this program contains none. The list is fetched from the \
            published address, or read from the file or URL that you give.

            EXAMPLES:
              countersign trust add aamva vical.cbor --provider aamva-root.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The name of a published source.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("The list: a file or an https: URL.", valueName: "list"))
    var list: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Your copy of the provider's root, in PEM or DER.", valueName: "file"))
    var provider: String

    @OptionGroup var fetching: FetchArguments
    @OptionGroup var staging: StagingArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let place = try place
        let now = try clock.now()
        let rules = try staging.rules(at: now, policy.settings(in: store.path))
        var files = SourceFiles(as: .provider, obtainedAt: now)
        try files.read(provider)
        var lists = SourceFiles(as: .vical, obtainedAt: now)
        // A URL is fetched by `importing`; anything else is read as a file.
        let targets = try place.isURL ? [FetchTarget(.vical, argument: place)] : []
        if targets.isEmpty { try lists.read(place) }
        (files.notes + lists.notes).forEach { Terminal.message("note: \($0)") }
        let access = try TrustStoreAccess.changing(store.path)
        try await access.importing(files.sources + lists.sources, and: targets, by: fetching, rules)
            .finish(json: output.json)
    }

    /// The file or URL of the list.
    private var place: String {
        get throws(CommandFailure) {
            let source = try PublishedSource.named(name)
            guard let place = list ?? source.list else {
                throw .usage(
                    "\(name): the publisher gives no fixed address for the list: give the file or URL that you find at \(source.address)"
                )
            }
            return place
        }
    }
}
