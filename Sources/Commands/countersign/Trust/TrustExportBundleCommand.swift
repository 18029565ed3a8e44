internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto
internal import ReaderStore

/// `countersign trust export-bundle`: the current snapshot as one signed file.
struct TrustExportBundleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-bundle",
        abstract: "Write the current snapshot as one signed file, for shops without internet.",
        discussion: """
            The key signs bundles and nothing else; keep it where bundles are made, and give its public half to the shops:

              openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out bundle-key.pem
              openssl pkey -in bundle-key.pem -pubout -out bundle-public.pem

            EXAMPLE:
              countersign trust export-bundle trust.bundle --key bundle-key.pem

            \(ExitStatus.table([.success, .usage, .malformed, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(
        name: .long, help: ArgumentHelp("The private key that signs: unencrypted PEM.", valueName: "file"))
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
