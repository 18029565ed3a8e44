package import PCSCTransport
package import ReaderService
internal import Synchronization

/// The recorder of a field trace, which writes the trace line by line to a sink.
///
/// A `TracingLaneDevice`, a `TracingReader` and a `TracingRadio` share one recorder. These three wrap the
/// real devices of a lane, and call `record(_:)` for everything that happens, from any task; a lock keeps the
/// lines in the order of their times.
///
/// - `begin(_:)` begins a presentation. If the sink begins another file, the recorder writes a header and
///   draws a new key for the tokens, which stand for UUIDs and addresses.
/// - `observe(_:)` records the steps that the presentation reports.
/// - `end(_:)` records the checks of each document and the end.
///
/// An event has no member for element values, keys or the bytes of messages: see `FieldTraceEvent`.
package final class FieldTraceRecorder: Sendable {
    private let header: FieldTraceHeader
    private let sink: any FieldTraceSink
    private let state: Mutex<State>

    private struct State {
        var tokens: TraceTokens
        var start = ContinuousClock.now
        var presentations = 0
        var milestone = Milestone.nothing
    }

    /// Creates a recorder and writes the header.
    ///
    /// - Throws: `noRandomness` if no key for the tokens can be drawn.
    package init(_ header: FieldTraceHeader, to sink: any FieldTraceSink) throws(FieldTraceError) {
        self.header = header
        self.sink = sink
        state = Mutex(State(tokens: try TraceTokens()))
        writeHeader()
    }

    /// Creates a recorder that writes one file.
    ///
    /// - Parameter write: called with each line and its line break.
    package convenience init(
        _ header: FieldTraceHeader, write: @escaping @Sendable ([UInt8]) -> Void
    ) throws(FieldTraceError) {
        try self.init(header, to: OneFileSink(writeLine: write))
    }

    /// The tokens that stand for UUIDs and addresses in the current file.
    package var tokens: TraceTokens { state.withLock { $0.tokens } }

    private func writeHeader() {
        sink.write(TraceJSON.object(header) + [UInt8(ascii: "\n")])
    }

    /// Writes an event with its time.
    package func record(_ event: FieldTraceEvent) {
        state.withLock { state in
            if let milestone = event.milestone { state.milestone = max(state.milestone, milestone) }
            let line = FieldTraceLine(event, at: state.start.duration(to: .now))
            sink.write(line.encode() + [UInt8(ascii: "\n")])
        }
    }

    /// Records the beginning of a presentation.
    package func begin(_ plan: PresentationPlan) {
        let number = state.withLock { state in
            // If OpenSSL cannot generate a new key, the tokens of the previous file stay in use.
            if sink.beginsFile() {
                state = State(tokens: (try? TraceTokens()) ?? state.tokens)
                writeHeader()
            }
            state.presentations += 1
            state.milestone = .nothing
            return state.presentations
        }
        record(.presentation(PresentationFacts(number, plan)))
    }

    /// Records a step of the presentation.
    package func observe(_ event: PresentationEvent) {
        record(.step(StepFacts(event)))
    }

    /// Records the checks of each document and the end of a presentation.
    ///
    /// - Returns: the facts of the end.
    @discardableResult
    package func end(_ presentation: Presentation) -> EndFacts {
        for report in presentation.documentReports { record(.document(DocumentFacts(report))) }
        let milestone = state.withLock { $0.milestone }
        let end = EndFacts(presentation, reaching: milestone)
        record(.end(end))
        return end
    }
}

extension FieldTraceEvent {
    /// The step that a presentation reaches with this event; `nil` if it reaches no step.
    var milestone: Milestone? {
        switch self {
        case .powered: .phoneSeen
        case .exchange(let exchange): exchange.opensWallet ? .walletSelected : nil
        case .step(let step): step.milestone
        case .radio(let radio): radio.link == nil ? nil : .connected
        case .document: .judged
        default: nil
        }
    }
}

extension ExchangeFacts {
    /// Whether the phone accepted the SELECT of a wallet's application.
    fileprivate var opensWallet: Bool {
        [.selectNDEF, .selectTransfer, .selectVersion2].contains(command.word)
            && status == TraceStatus(0x9000)
    }
}

extension StepFacts {
    fileprivate var milestone: Milestone? {
        switch step.word {
        case .armed: .armed
        case .engaged: .engaged
        case .awaitingConsent: .requestSent
        case .receiving: .answerBegun
        case .verifying: .answerComplete
        case .phoneLocked, .notAnID, .tapAgain, .liftAndTapAgain, .confirmThenTapAgain, .offerQR,
            .bluetoothUnavailable,
            .readerSilent,
            .mayLift,
            .connecting, .checkBluetooth, .hold, .noted:
            nil
        }
    }
}

/// The destination of a field trace's lines. The recorder calls it from one thread at a time.
package protocol FieldTraceSink: Sendable {
    /// Whether the next line begins a new file. If so, the recorder writes a header and draws a new key for
    /// the tokens. Called before each presentation.
    func beginsFile() -> Bool

    /// Writes one line with its line break.
    func write(_ line: [UInt8])
}

/// A sink that writes one file from beginning to end.
private struct OneFileSink: FieldTraceSink {
    let writeLine: @Sendable ([UInt8]) -> Void

    func beginsFile() -> Bool { false }

    func write(_ line: [UInt8]) { writeLine(line) }
}

extension FieldTraceRecorder {
    /// Records the PC/SC readers. A query to a driver occupies its reader for a moment, so call this function
    /// before the wait for a phone.
    package func describeReaders(of service: PCSCService) async {
        // Without pcscd there is nothing to describe. The presentation reports the fault.
        for reader in (try? await service.readers()) ?? [] { record(.reader(NFCReaderFacts(reader))) }
    }

    /// Records the cards and readers that come and leave, until the task is cancelled. Watching does not
    /// occupy a reader.
    package func watchReaders(of service: PCSCService) async {
        for await event in service.events() { record(.presence(PresenceFacts(event))) }
    }
}
