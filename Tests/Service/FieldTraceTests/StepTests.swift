import FieldTrace
import MdocSession
import ReaderService
import Testing
import Transport

@Suite("The steps of a field trace")
struct StepTests {
    @Test(
        "Every event of a presentation has its word",
        arguments: [
            (PresentationEvent.armed, StepFacts.Step.armed), (.phoneLocked, .phoneLocked),
            (.offerQR, .offerQR), (.bluetoothUnavailable(.adapterOff), .bluetoothUnavailable),
            (.engaged, .engaged), (.hold, .hold), (.notAnID, .notAnID), (.mayLift, .mayLift),
            (.liftAndTapAgain(NFCEndReason(.selectApplication, .cardMute)), .liftAndTapAgain),
            (.readerSilent, .readerSilent), (.connecting, .connecting),
            (.checkBluetooth, .checkBluetooth), (.awaitingConsent, .awaitingConsent),
            (.receiving, .receiving), (.verifying, .verifying),
            (.confirmThenTapAgain, .confirmThenTapAgain), (.noted(.copiesDiffer(second: .nfc)), .noted),
            (.tapAgain(NFCEndReason(.initialMessage, .cardLost)), .tapAgain),
        ])
    func words(_ event: PresentationEvent, _ step: StepFacts.Step) throws {
        let trace = TraceBytes()
        let recorder = try FieldTraceRecorder(.sample) { trace.append($0) }
        recorder.observe(event)
        guard case .step(let facts) = try trace.parsed().lines.last?.event else {
            Issue.record("no step")
            return
        }
        #expect(facts.step.word == step)
        #expect(facts.note?.word == (step == .noted ? .copiesDiffer : nil))
        #expect((facts.cause != nil) == [.tapAgain, .liftAndTapAgain, .bluetoothUnavailable].contains(step))
    }
}
