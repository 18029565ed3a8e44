package import PCSCTransport
package import ReaderService
internal import Synchronization

/// Writes a field trace, line by line.
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

    package init(_ header: FieldTraceHeader, to sink: any FieldTraceSink) throws(FieldTraceError) {
        self.header = header
        self.sink = sink
        state = Mutex(State(tokens: try TraceTokens()))
        writeHeader()
    }

    /// A trace of one file.
    ///
    /// - Parameter write: takes one line with its end.
    package convenience init(
        _ header: FieldTraceHeader, write: @escaping @Sendable ([UInt8]) -> Void
    ) throws(FieldTraceError) {
        try self.init(header, to: OneFileSink(take: write))
    }

    /// Makes the tokens of the file.
    package var tokens: TraceTokens { state.withLock { $0.tokens } }

    private func writeHeader() {
        sink.write(TraceJSON.object(header) + [UInt8(ascii: "\n")])
    }

    package func record(_ event: FieldTraceEvent) {
        state.withLock { state in
            if let milestone = event.milestone { state.milestone = max(state.milestone, milestone) }
            let line = FieldTraceLine(event, at: state.start.duration(to: .now))
            sink.write(line.encode() + [UInt8(ascii: "\n")])
        }
    }

    /// A presentation begins.
    package func begin(_ plan: PresentationPlan) {
        let number = state.withLock { state in
            // Without random bytes the tokens of the file before are kept.
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

    package func observe(_ event: PresentationEvent) {
        record(.step(StepFacts(event)))
    }

    /// It is over: the checks of each document, and how it ended.
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
    /// How far a presentation is with this event.
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

/// Where the lines of a field trace go. The recorder calls it from one place at a time.
package protocol FieldTraceSink: Sendable {
    /// Called before each presentation: whether a new file is begun, which then gets the header and new tokens.
    func beginsFile() -> Bool

    /// Takes one line with its end.
    func write(_ line: [UInt8])
}

/// One file from beginning to end.
private struct OneFileSink: FieldTraceSink {
    let take: @Sendable ([UInt8]) -> Void

    func beginsFile() -> Bool { false }

    func write(_ line: [UInt8]) { take(line) }
}

extension FieldTraceRecorder {
    /// Records the readers that there are. It may have to ask their drivers, which takes the readers for a moment: call it
    /// before a phone is waited for.
    package func describeReaders(of service: PCSCService) async {
        for reader in (try? await service.readers()) ?? [] { record(.reader(NFCReaderFacts(reader))) }
    }

    /// Records what comes to the readers and leaves, until the task is cancelled. It takes no reader.
    package func watchReaders(of service: PCSCService) async {
        for await event in service.events() { record(.presence(PresenceFacts(event))) }
    }
}
