internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import TransactionBench
internal import WalletPresentation

/// The command `countersign-lab bench`. It measures the processor time that Countersign needs for one
/// response, and compares it with the time of the same cryptographic operations in OpenSSL alone.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract:
            "Compare Countersign's processor time for a response with OpenSSL's for the same cryptography.",
        discussion: """
            Runs Countersign's work on a response and OpenSSL's cryptography for it in turn, in one process. Prints \
            medians of processor time in nanoseconds, and their ratios, as JSON.

            A floor is the time that OpenSSL alone needs. There are two floors, both on P-256. The tight floor is the \
            shortest sequence of OpenSSL calls for the same work: a key generation, ECDH, HKDF for two keys, AES-256-GCM of \
            request and response, a digest of each item, \
            and the signature checks. The former floor (floorNs) allows a comparison with earlier figures: it also builds \
            three keys again and derives an unused key.

            "Cold" means that the document signer is unknown and three signatures are checked. The root's key object is \
            kept, as in the tight floor. "Warm" means that the document signer was verified before and two signatures \
            are checked. \
            tightRatioWarm divides by a floor with two signature checks, ratioWarm by the former floor with three. "Large \
            trust" opens a store of 500 roots and 50 CRLs from disk, and then measures a warm verification with all of them.

            With --envelope or --web-response, measures a server's work on the answer of an app or a page, from the bytes \
            to the verdict. The floors then do an ECDH, the HKDF steps of HPKE, AES-128-GCM, the digests, and three \
            signature checks, or two if warm. A rate is the number of answers in a second, divided by what OpenSSL \
            alone could do: tightRateCold and tightRateWarm by the tight floor, rateCold and rateWarm by the former one.

            The response must verify by the default policy, which here accepts test documents. Choose the trusted roots as \
            in `countersign verify`.

            EXAMPLE:
              countersign-lab bench --response response.cbor --transcript transcript.cbor --trust iaca.der
              countersign-lab bench --envelope envelope.cbor --merchant-id merchant.example.shop --team-id TEAM123456 \\
                  --nonce b25lLXRpbWUtbm9uY2U --key merchant.pem --trust iaca.der

            \(ExitStatus.table([.success, .rejected, .usage, .malformed]))
            """)

    @OptionGroup(title: "What to measure")
    var files: VerifyFiles

    @OptionGroup(title: "An app's envelope") var app: AppArguments
    @OptionGroup(title: "A page's answer") var web: WebArguments
    @OptionGroup(title: "An app's envelope, or a page's answer") var answer: AnswerArguments

    @OptionGroup var trust: TrustArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments

    @Option(name: .long, help: "The number of rounds from which the medians are taken.")
    var rounds = 15

    @Option(name: .long, help: "The number of times that each measurement is repeated in a round.")
    var perRound = 100

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Run each part this many times, and print the names of the parts instead of times. For valgrind, which counts instructions.",
            valueName: "times"))
    var count: Int?

    private var input: VerifyInput { VerifyInput(files, app: app, web: web, answer: answer) }

    func validate() throws {
        try input.validate()
        guard (1...1000).contains(rounds), (1...10_000).contains(perRound) else {
            throw ValidationError("--rounds takes 1 to 1000, --per-round 1 to 10000.")
        }
        guard (1...10_000).contains(count ?? 1) else {
            throw ValidationError("--count takes 1 to 10000.")
        }
    }

    func run() throws {
        let now = try clock.now()
        if let presentation = try input.presentation(at: now) { return try measure(presentation, at: now) }
        let stored = try files.transaction()
        guard case .response(let response) = stored.message else {
            throw CommandFailure.usage(
                "bench measures a decrypted response: give --response and --transcript")
        }
        let benchmark: TransactionBenchmark
        do {
            benchmark = try TransactionBenchmark(
                response: response, transcript: stored.transcript,
                comparison: stored.request?.comparison ?? .notCompared, readerKey: stored.readerKey,
                anchors: try trust.load(from: store.path, at: now).anchors, now: now)
        } catch TransactionBenchmark.Failure.rejected {
            throw CommandFailure(
                status: .rejected, message: "the response is rejected; `countersign verify` shows why")
        } catch let error as MdocModelError {
            throw CommandFailure.malformed(error.explanation)
        }
        // The benchmark keeps a trust store in a folder on disk, which `discard()` removes.
        defer { benchmark.discard() }
        let figures = try Progress.during("Measuring") {
            if let count {
                try CountedParts.run(BenchFigures.measurements(benchmark), times: count)
            } else {
                try BenchFigures(benchmark, rounds: rounds, perRound: perRound).json
            }
        }
        Terminal.result(figures.text)
    }

    /// Measures the reader's work on an answer that came through an app or a web page, and prints the
    /// figures.
    private func measure(_ presentation: StoredPresentation, at now: Timestamp) throws {
        let benchmark: EnvelopeBenchmark
        do {
            benchmark = try EnvelopeBenchmark(
                presentation, anchors: try trust.load(from: store.path, at: now).anchors, now: now)
        } catch TransactionBenchmark.Failure.rejected {
            throw CommandFailure(
                status: .rejected, message: "the answer is not verified; `countersign verify` shows why")
        } catch let error as WalletPresentationError {
            throw CommandFailure(status: .rejected, message: error.explanation)
        }
        let figures = try Progress.during("Measuring") {
            if let count {
                try CountedParts.run(EnvelopeFigures.measurements(benchmark), times: count)
            } else {
                try EnvelopeFigures(benchmark, rounds: rounds, perRound: perRound).json
            }
        }
        Terminal.result(figures.text)
    }
}
