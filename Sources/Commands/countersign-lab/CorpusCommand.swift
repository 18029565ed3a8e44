internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import MdocModel
internal import MdocWallet

/// The command `countersign-lab corpus`. It writes presentations as files, each of which keeps or breaks one
/// rule.
struct CorpusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract: "Write presentations, good and bad, that test a reader.",
        usage: "countersign-lab corpus FOLDER --seed TEXT [--at TIME]",
        discussion: """
            Writes a folder for each of \(PresentationCase.corpus.count) presentations, and manifest.json, which has for each the \
            rule that it keeps or breaks, the verdict that a reader must reach, the keys, and the SHA-256 of each file. A \
            presentation is to be judged at the manifest's verifyAt, with its iaca.der as the only trusted root.

            All keys and random bytes come from the seed. OpenSSL draws the numbers in ECDSA signatures itself, so that \
            the files of two runs differ in signatures and in what follows from them. Whoever has the files has \
            the keys: trust no root of a corpus outside of tests.

            EXAMPLE:
              countersign-lab corpus cases --seed mine --at 2026-11-01T12:00:00Z
              countersign verify --response cases/ok.nfc/device_response.cbor \\
                  --transcript cases/ok.nfc/session_transcript.cbor \\
                  --trust cases/ok.nfc/iaca.der --at 2026-11-01T12:00:00Z

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("Where to write; made if it is not there.", valueName: "folder"))
    var folder: String

    @Option(name: .long, help: ArgumentHelp("A text that all keys are made from.", valueName: "text"))
    var seed: String

    @OptionGroup var clock: ClockArguments

    func run() throws {
        let now = try clock.now()
        let corpus = CaseFolder(folder)
        let entries = try PresentationCase.corpus.map { presentation in
            let made = try mapping(
                CorpusCase(presentation, seed: seed, at: now, instant: .now), CommandFailure.notMade)
            try corpus.folder(of: presentation).write(made)
            return made.entry
        }
        try corpus.write(
            CorpusManifest(
                verifyAt: "\(now)", portraitSize: TestPortrait.minimumSize, seed: seed, cases: entries))
    }
}
