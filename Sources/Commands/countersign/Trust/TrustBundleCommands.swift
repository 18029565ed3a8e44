internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import OpenSSLCrypto
internal import PKIX
internal import ReaderStore

/// `countersign trust export-bundle`: writes the current snapshot as one signed file.
struct TrustExportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-bundle",
        abstract: "Write the current snapshot as one signed file, for shops without internet.",
        discussion: """
            Use a key that signs only bundles. Keep the private key where you make bundles, and give the public key to \
            the shops:

              openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out bundle-key.pem
              openssl pkey -in bundle-key.pem -pubout -out bundle-public.pem

            EXAMPLE:
              countersign trust export-bundle trust.bundle --key bundle-key.pem

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp("The private key that signs the bundle, in unencrypted PEM.", valueName: "file"))
    var key: String

    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments
    @OptionGroup var output: OutputArguments

    func run() throws {
        let trust = try TrustStoreAccess.reading(store.path).current()
        let now = try clock.now()
        let pem = try InputFile.read(key, limit: BundleKeyFile.largestFile)
        let bytes = try mapping(
            TrustBundle.export(trust.snapshot, created: now, signedWith: PrivateKey(pem: pem[...]))
        ) { (error: OpenSSLCryptoError) in
            CommandFailure.usage("--key: this private key cannot sign a bundle: \(error.explanation)")
        }
        try OutputFile.write(bytes, to: file)
        let json: JSONValue = [
            "snapshot": .string(trust.record.id.description), "created": .string(now.description),
            "sources": .integer(Int64(trust.snapshot.sources.count)), "bytes": .integer(Int64(bytes.count)),
        ]
        Terminal.result(
            output.json
                ? json.text
                : "\(Terminal.safe(file)): trust snapshot \(trust.record.id.shortText), "
                    + "\(trust.snapshot.sources.count) sources, \(bytes.count) bytes")
    }
}

/// `countersign trust import-bundle`: makes the snapshot of a signed bundle the current one.
struct TrustImportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-bundle",
        abstract: "Make the snapshot of a signed bundle the current one.",
        discussion: """
            The bundle replaces all present trust: a root or list that is not in the bundle is no longer \
            trusted. A bundle is refused if another key signed it, if it is older than a bundle that was \
            imported before, or if a list in it is older than the present list or lost many of its entries.

            EXAMPLE:
              countersign trust import-bundle trust.bundle --signed-by bundle-public.pem

            \(ExitStatus.table([.success, .rejected, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The bundle to import.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The public key that verifies the bundle, in PEM, or a certificate with this key.",
            valueName: "file"))
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
        // The creation time of a refused bundle is not recorded. Otherwise the store would refuse all bundles
        // that are older than the refused one.
        try access.save(
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

/// A reader of the files with the public keys of bundles and brands.
enum BundleKeyFile {
    /// The size of the largest key file, in bytes.
    static let largestFile = 1 << 16

    /// Reads a public key from a PEM file, which contains the key itself or a certificate for the key.
    static func publicKey(_ path: String) throws(CommandFailure) -> PublicKey {
        let text = try InputFile.read(path, limit: largestFile)
        if let block = try? PEM.decode(text[...], label: "PUBLIC KEY").first,
            let key = try? SubjectPublicKeyInfo(der: block[...]).publicKey()
        {
            return key
        }
        if let block = try? PEM.decode(text[...], label: "CERTIFICATE").first,
            let key = try? Certificate(der: block[...]).publicKey()
        {
            return key
        }
        throw .usage(
            "\(Terminal.safe(path)): the file has neither a public key nor a certificate with a usable key, in PEM"
        )
    }
}
