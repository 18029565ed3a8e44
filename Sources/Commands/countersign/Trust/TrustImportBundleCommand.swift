internal import ErrorMapping
internal import MdocVerification
internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore

/// `countersign trust import-bundle`: makes the snapshot of a bundle current.
struct TrustImportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-bundle",
        abstract: "Make the snapshot of a signed bundle the current one.",
        discussion: """
            The bundle takes the place of all that is trusted: what is not in it is no longer trusted. It is refused when \
            another key signed it, when it is older than one that was imported before, and when a list in it is older \
            than the one that is there, or lost much of it.

            EXAMPLE:
              countersign trust import-bundle trust.bundle --signed-by bundle-public.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The bundle.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The public key that verifies the bundle, or a certificate with it: PEM.", valueName: "file"))
    var signedBy: String

    @OptionGroup var staging: StagingArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var policy: PolicyArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let now = try clock.now()
        let settings = try policy.settings(in: store.path)
        let rules = try staging.rules(at: now, settings)
        let bytes = try InputFile.read(file, limit: TrustBundle.maximumSize)
        let key = try BundleKeyFile.publicKey(signedBy)
        let access = try TrustStoreAccess.changing(store.path)
        let current = try access.currentIfAny()
        let newest = try access.using { store throws(ReaderStoreError) in try store.newestTrustBundle() }
        let bundle = try mapping(
            TrustBundle(
                bytes[...], signedBy: key, notOlderThan: newest, at: now, clockSkew: settings.clockSkew)
        ) { (error: TrustBundleError) in error.failure(of: file) }
        var stage = TrustStage(current?.snapshot, rules)
        Progress.during("Checking the sources") { stage.replaceAll(by: bundle.snapshot) }
        try access.put(
            stage, after: current, by: .bundle, at: now,
            bundle: stage.change.isRefused ? nil : bundle.created
        ).finish(json: output.json)
    }
}

extension TrustBundleError {
    fileprivate func failure(of file: String) -> CommandFailure {
        let message = "\(Terminal.safe(file)): \(explanation)  [\(id)]"
        return switch self {
        case .malformed, .typeWrong: .malformed(message)
        default: CommandFailure(status: .rejected, message: message)
        }
    }
}
