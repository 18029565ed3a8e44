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
