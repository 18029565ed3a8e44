internal import ArgumentParser
internal import BlueZTransport
internal import CommandLineInterface
internal import ErrorMapping
internal import FieldTrace
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import PCSCTransport
internal import ReaderService
internal import Reports
internal import RequestPlanner
internal import Synchronization
internal import Transport

/// `countersign field-test`: reads a phone with every transport and request version, and writes one field
/// trace.
struct FieldTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field-test",
        abstract: "Try a phone with every transport and version, and write one file for the developers.",
        usage: "countersign field-test FILE [--reader NAME] [--identity NAME] [--repeats N] [--yes]",
        discussion: """
            Asks whether the holder is over 18 in several steps: over NFC, over Bluetooth in both modes, \
            signed and unsigned, with requests of version 1.0 and 1.1, and then ten times with the default \
            settings. Before each step you press Enter to start, s to skip the step or q to finish.

            The file has times, status words and outcomes. It contains nothing about a person or a phone: no \
            name, no element, no key, no UUID. The whole file is shown before it is saved, and it is saved \
            only if you agree (Documentation/field-trace.md).

            EXAMPLES:
              countersign field-test phone.jsonl
              countersign field-test phone.jsonl --identity counter --repeats 3

            \(ExitStatus.table([.success, .usage, .unavailable]))
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"))
    var file: String

    @Option(
        name: .long,
        help: ArgumentHelp("The reader: a part of its name, or its USB id (072f:2200).", valueName: "name"))
    var reader: String?

    @Option(
        name: .long, help: ArgumentHelp("The Bluetooth adapter. By default the first one.", valueName: "hci0")
    )
    var adapter: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The number of repeated steps with the default settings, 0 to 100.", valueName: "number"))
    var repeats = 10

    @Option(
        name: .long,
        help: ArgumentHelp("The time that each step waits for a phone, 1 to 600.", valueName: "seconds"))
    var wait = 30

    @Flag(name: .long, help: "Start every step and save the file without asking.")
    var yes = false

    @OptionGroup(title: "The identity of signed steps")
    var identity: IdentityArguments

    @OptionGroup var trust: TrustArguments
    @OptionGroup var store: StoreArguments
    @OptionGroup var clock: ClockArguments

    func validate() throws {
        guard (0...100).contains(repeats) else {
            throw ValidationError("--repeats needs a number from 0 to 100.")
        }
        guard (1...600).contains(wait) else {
            throw ValidationError("--wait needs a number of seconds from 1 to 600.")
        }
    }

    func run() async throws {
        let now = try clock.now()
        let test = FieldTest(
            questions: try questions(at: now), trust: trusted(at: now),
            // `trial` is the default policy, except that test documents are accepted.
            policy: try PolicyFile.trial.settings(),
            field: try await SourceArguments.field(named: reader),
            radio: BlueZConfiguration(adapter: adapter),
            wait: .seconds(wait), now: now, waitsForUser: !yes)
        let lines = LineStore()
        let recorder = try await FieldTraceRecorder.ofThisComputer { lines.append($0) }
        let service = PCSCService()
        await recorder.describeReaders(of: service)
        let watch = Task { await recorder.watchReaders(of: service) }
        let steps = FieldTestStep.all(isSigned: identity.identity != nil, repeats: repeats)
        // An interruption only stops the remaining steps. The trace of the finished steps can still be saved.
        await interruptible { await test.run(steps, recorder) }
        watch.cancel()
        try save(lines.all)
    }

    /// Returns the request for an age over 18 in two forms, unsigned and signed. The signed form is `nil`
    /// without `--identity`.
    private func questions(
        at now: Timestamp
    ) throws(CommandFailure) -> (unsigned: PresentationQuestion, signed: PresentationQuestion?) {
        let asked = try mapping(
            // `.none` tells the phone that the reader retains no element.
            RequestPlan(RequestIntent(.age, [.ageOver(18)]), keeping: .none), \RequestPlannerError.failure)
        let unsigned = PresentationQuestion(.planned(asked))
        guard identity.identity != nil else { return (unsigned, nil) }
        return (unsigned, try identity.question(.planned(asked), in: store.identities, at: now))
    }

    /// Returns the trusted issuers. If the store cannot be read, no issuer is trusted, because a field test
    /// is useful without trust, too.
    private func trusted(at now: Timestamp) -> TrustStore {
        if let trusted = try? trust.load(from: store.path, at: now) { return trusted }
        Terminal.message(
            "note: no issuer is trusted, so every answer will be rejected, and the trace says so")
        return TrustStore(anchors: [])
    }

    /// Shows the whole trace, and saves it if the user agrees.
    private func save(_ bytes: [UInt8]) throws(CommandFailure) {
        Terminal.result(String(decoding: bytes, as: UTF8.self))
        Terminal.message(
            "This is the whole file, \(bytes.count) bytes. Save it as \(Terminal.safe(file))? [y/N]")
        guard yes || ["y", "yes"].contains(readLine()?.lowercased()) else {
            return Terminal.message("The file was not saved.")
        }
        try OutputFile.write(bytes, to: file)
        Terminal.message("Saved. Documentation/field-trace.md says where to send it.")
    }
}

/// The lines of a field trace, kept in memory until the user agrees to save them.
private final class LineStore: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    var all: [UInt8] { bytes.withLock { $0 } }

    /// Adds a line. A line that would exceed the largest size of a field trace is dropped.
    func append(_ line: [UInt8]) {
        bytes.withLock { bytes in
            if bytes.count + line.count <= FieldTrace.mostBytes { bytes += line }
        }
    }
}

/// A series of presentations with one phone. Each step is a presentation.
private struct FieldTest: Sendable {
    let questions: (unsigned: PresentationQuestion, signed: PresentationQuestion?)
    let trust: TrustStore
    let policy: VerificationPolicy
    let field: any ContactlessReader
    let radio: BlueZConfiguration
    let wait: Duration
    /// The time of all checks: the time of `--at`, or the time at which the test started.
    let now: Timestamp
    /// Whether the user starts each step.
    let waitsForUser: Bool

    /// Performs the steps in order. Stops early if the user finishes or interrupts the test.
    func run(_ steps: [FieldTestStep], _ recorder: FieldTraceRecorder) async {
        for (index, step) in steps.enumerated() {
            Terminal.message("Step \(index + 1) of \(steps.count): \(step.title)")
            switch waitsForUser ? Self.readChoice() : .start {
            case .start: await present(step, recorder)
            case .skip: continue
            case .finish: return
            }
            if Task.isCancelled { return }
        }
    }

    private enum Choice {
        case start, skip, finish
    }

    /// Asks the user whether to start the next step, to skip it or to finish. The end of the input finishes
    /// the test.
    private static func readChoice() -> Choice {
        Terminal.message(
            "  Open the ID on the phone, press Enter, then tap. To skip the step, type s and Enter; to finish, q and Enter:"
        )
        guard let line = readLine()?.lowercased() else { return .finish }
        return line == "q" ? .finish : line == "s" ? .skip : .start
    }

    /// Performs one presentation and records it in the trace.
    private func present(_ step: FieldTestStep, _ recorder: FieldTraceRecorder) async {
        var deadlines = PresentationDeadlines()
        deadlines.engagement = wait
        // Signed steps are made only with `--identity`, so the signed request exists here.
        let plan = PresentationPlan(
            question: step.isSigned ? questions.signed ?? questions.unsigned : questions.unsigned,
            trust: trust, policy: policy, deadlines: deadlines, retrieval: step.retrieval,
            requestVersion: step.requestVersion, clock: WallClock { now })
        let transaction = ReaderTransaction(plan) { event in
            Terminal.message("  \(event.text)")
            recorder.observe(event)
        }
        recorder.begin(plan)
        let radio = step.retrieval.transport == .nfc ? nil : TracingRadio(radio, recorder)
        let presentation = await transaction.run(at: TracingReader(field, recorder), radio: radio)
        // The notes on the phone's messages are complete only after the phone has left.
        await presentation.waitUntilLeft()
        let end = recorder.end(presentation)
        Terminal.message(
            "  \(end.error?.word.rawValue ?? end.verdict.word.rawValue). Next: \(end.next.word.text)")
    }
}

/// A combination of transport, Bluetooth mode, request version and signature that a field test tries.
struct FieldTestStep: Equatable {
    let title: String
    var retrieval = RetrievalPlan()
    var requestVersion = RequestVersion.automatic
    var isSigned = false

    private init(_ title: String, _ change: (inout FieldTestStep) -> Void) {
        self.title = title
        change(&self)
    }

    /// Returns the steps of a field test: four unsigned combinations, two signed combinations if `isSigned`
    /// is true, then `repeats` steps with the default settings.
    ///
    /// - Parameter isSigned: Whether there is an identity to sign with.
    static func all(isSigned: Bool, repeats: Int) -> [FieldTestStep] {
        let ways = [
            FieldTestStep("NFC only, unsigned request") { $0.retrieval.transport = .nfc },
            // In the default Bluetooth mode the phone connects to the reader, so this step sets no mode.
            FieldTestStep("Bluetooth: the phone connects, unsigned request") {
                $0.retrieval.transport = .bluetoothLE
            },
            FieldTestStep("Bluetooth: both modes, the first connection is used; unsigned request") {
                $0.retrieval.transport = .bluetoothLE
                $0.retrieval.mode = .race
            },
            FieldTestStep("unsigned request of version 1.0") { $0.requestVersion = .first },
        ]
        let signed = [
            FieldTestStep("signed request") { $0.isSigned = true },
            FieldTestStep("signed request of version 1.0") {
                $0.isSigned = true
                $0.requestVersion = .first
            },
        ]
        let repeated = (0..<repeats).map { number in
            FieldTestStep("default settings, \(number + 1) of \(repeats)") { $0.isSigned = isSigned }
        }
        return ways + (isSigned ? signed : []) + repeated
    }
}
