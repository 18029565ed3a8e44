internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import MdocModel
internal import MdocWallet

/// The command `countersign-lab corpus`. It writes presentations as files. Each presentation either follows
/// or breaks the one rule that it tests.
struct CorpusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Write presentations, good and bad, that test a reader.",
        usage: "countersign-lab corpus FOLDER --seed TEXT [--at TIME]",
        discussion: """
            Writes a folder for each of \(PresentationCase.corpus.count) presentations, and manifest.json. For each presentation, the \
            manifest has the rule that the presentation keeps or breaks, the verdict that a reader must reach, the keys, \
            and the SHA-256 of each file. Verify a presentation at the time verifyAt of the manifest, with the \
            presentation's iaca.der as the only trusted root.

            All keys and random bytes come from the seed. Only the random numbers of ECDSA signatures come from OpenSSL, \
            so the files of two runs differ in signatures and in bytes that depend on them. Anybody who has the files has \
            the keys: never trust a root of a corpus outside of tests.

            EXAMPLE:
              countersign-lab corpus cases --seed mine --at 2026-11-01T12:00:00Z
              countersign verify --response cases/ok.nfc/device_response.cbor \\
                  --transcript cases/ok.nfc/session_transcript.cbor \\
                  --trust cases/ok.nfc/iaca.der --at 2026-11-01T12:00:00Z

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Argument(
        help: ArgumentHelp("The folder to write to. It is made if it does not exist.", valueName: "folder"))
    var folder: String

    @Option(name: .long, help: ArgumentHelp("The text from which all keys are made.", valueName: "text"))
    var seed: String

    @OptionGroup var clock: ClockArguments

    func run() throws {
        let now = try clock.now()
        let corpus = CaseFolder(folder)
        let entries = try PresentationCase.corpus.map { presentation in
            let made = try mapping(
                // `now` is the time of issue. `instant` is the time on the monotonic clock at which the
                // presentation takes place.
                CorpusCase(presentation, seed: seed, at: now, instant: .now), CommandFailure.notMade)
            try corpus.folder(of: presentation).write(made)
            return made.entry
        }
        try corpus.write(
            CorpusManifest(
                verifyAt: "\(now)", portraitSize: TestPortrait.minimumSize, seed: seed, cases: entries))
    }
}
