internal import BlueZTransport
internal import CommandLineInterface
internal import FieldTrace
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderService
internal import Reports
internal import Transport

/// Taps a phone in several ways, one presentation a step.
struct FieldTest: Sendable {
    let questions: (unsigned: PresentationQuestion, signed: PresentationQuestion?)
    let trust: TrustStore
    let policy: VerificationPolicy
    let field: any ContactlessReader
    let radio: BlueZConfiguration
    let wait: Duration
    let now: Timestamp
    /// Whether it waits for the user before each step.
    let asks: Bool

    func run(_ steps: [FieldTestStep], _ recorder: FieldTraceRecorder) async {
        for (index, step) in steps.enumerated() {
            Terminal.note("Step \(index + 1) of \(steps.count): \(step.title)")
            switch asks ? Self.wish() : .start {
            case .start: await present(step, recorder)
            case .skip: continue
            case .finish: return
            }
            if Task.isCancelled { return }
        }
    }

    private enum Wish {
        case start, skip, finish
    }

    private static func wish() -> Wish {
        Terminal.note("  Open the ID on the phone and press Enter, then tap (s skips, q finishes):")
        guard let line = readLine()?.lowercased() else { return .finish }
        return line == "q" ? .finish : line == "s" ? .skip : .start
    }

    private func present(_ step: FieldTestStep, _ recorder: FieldTraceRecorder) async {
        var deadlines = PresentationDeadlines()
        deadlines.engagement = wait
        let plan = PresentationPlan(
            question: step.isSigned ? questions.signed ?? questions.unsigned : questions.unsigned,
            trust: trust, policy: policy, deadlines: deadlines, retrieval: step.retrieval,
            requestVersion: step.requestVersion, clock: WallClock { now })
        let transaction = ReaderTransaction(plan) { event in
            Terminal.note("  \(event.text)")
            recorder.observe(event)
        }
        recorder.begin(plan)
        let radio = step.retrieval.transport == .nfc ? nil : TracingRadio(radio, recorder)
        let presentation = await transaction.run(at: TracingReader(field, recorder), radio: radio)
        await presentation.left()
        let end = recorder.end(presentation)
        Terminal.note(
            "  \(end.error?.word.rawValue ?? end.verdict.word.rawValue). Next: \(end.next.word.text)")
    }
}
