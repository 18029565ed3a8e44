/// The phone of one presentation of a trace: its properties and its actions.
package struct TracedPhone: Equatable, Sendable {
    package let taps: [TracedTap]
    package let capabilities: CapabilitiesFacts?
    /// The parameters of the handover service; `nil` if the phone does not use negotiated handover.
    package let service: ServiceFacts?
    /// The facts of the last NFC v2 event; `nil` if the phone was engaged in another way.
    package let version2: NFCVersion2Facts?
    /// The phone's Handover Select message.
    package let select: MessageFacts?
    package let engagement: EngagementFacts?
    /// The fault that ended the presentation or, without such a fault, the latest fault of a step.
    package let fault: FaultFacts?
    package let end: EndFacts?
    /// The phone's actions over Bluetooth; `nil` if Bluetooth was not used.
    package let air: AirScript?

    package init(_ lines: ArraySlice<FieldTraceLine>) {
        taps = [TracedTap](lines)
        air = AirScript(lines)
        let events = lines.map(\.event)
        capabilities = events.last { event in if case .capabilities(let facts) = event { facts } else { nil }
        }
        service = events.last { event in if case .service(let facts) = event { facts } else { nil } }
        version2 = events.last { event in if case .version2(let facts) = event { facts } else { nil } }
        engagement = events.last { event in if case .engagement(let facts) = event { facts } else { nil } }
        select = events.last { event in
            guard case .message(let facts) = event, facts.isHandoverSelect else { return nil }
            return facts
        }
        let end: EndFacts? = events.last { event in if case .end(let facts) = event { facts } else { nil } }
        let stepCause: FaultFacts? = events.last { event in
            if case .step(let facts) = event { facts.cause } else { nil }
        }
        self.end = end
        fault = end?.cause ?? stepCause
    }

    /// The total number of data bytes in the phone's answers to ENVELOPE and GET RESPONSE, over all taps.
    package var answerSize: Int {
        taps.flatMap(\.exchanges).filter { [.envelope, .getResponse].contains($0.command.word) }
            .compactMap(\.received).reduce(0) { $0 + Int($1) }
    }
}

extension MessageFacts {
    fileprivate var isHandoverSelect: Bool {
        direction.word == .fromPhone && records.contains(TraceWord(.handoverSelect))
    }
}

extension [FieldTraceEvent] {
    /// Returns the facts of the last event for which `facts` returns a value.
    fileprivate func last<Facts>(_ facts: (FieldTraceEvent) -> Facts?) -> Facts? {
        reversed().lazy.compactMap(facts).first
    }
}

/// The actions of a phone at one tap, from its power-up to the next.
package struct TracedTap: Equatable, Sendable {
    package fileprivate(set) var exchanges: [ExchangeFacts] = []
    /// The time from the last exchange to the phone's departure from the reader; `nil` if it stayed.
    package fileprivate(set) var left: Duration?
    /// The time from the last exchange to the first command of the next tap; `nil` for the last tap.
    package fileprivate(set) var next: Duration?
    /// The time at which the last exchange ended, in milliseconds since the beginning of the file.
    fileprivate var ended: Double

    /// Whether the phone leaves during a command.
    package var breaksOff: Bool { exchanges.last?.failure?.word == .cardLost }
}

extension [TracedTap] {
    /// Reads the taps of one presentation. A power-up without any command is no tap.
    package init(_ lines: some Sequence<FieldTraceLine>) {
        self = []
        for line in lines {
            switch line.event {
            case .powered: append(TracedTap(ended: line.milliseconds))
            case .exchange(let exchange) where !isEmpty:
                // The previous tap's `next` lasts until the first command of this tap. A power-up alone does
                // not end it, because a power-up without commands is no tap.
                if self[count - 1].exchanges.isEmpty {
                    setNext(of: count - 2, line.milliseconds - exchange.took)
                }
                self[count - 1].exchanges.append(exchange)
                self[count - 1].ended = line.milliseconds
            case .presence(let presence) where presence.change.word == .removed && !isEmpty:
                self[count - 1].left = .milliseconds(line.milliseconds - self[count - 1].ended)
            default: break
            }
        }
        removeAll { $0.exchanges.isEmpty }
    }

    /// Sets the time from the end of a tap to the first command of the next tap, at `milliseconds`.
    private mutating func setNext(of index: Int, _ milliseconds: Double) {
        // The first tap of a presentation has no previous tap, so `index` is -1.
        guard indices.contains(index) else { return }
        self[index].next = .milliseconds(Swift.max(milliseconds - self[index].ended, 0))
    }
}

/// The script of one tap in a replay: the traced phone's answer to each command of a reader.
package struct TapScript: Equatable, Sendable {
    private let exchanges: [ExchangeFacts]
    private var place = 0
    /// The number of differences from the trace: commands of the reader that are missing in the trace, and
    /// commands in the trace that the reader left out.
    package private(set) var divergences = 0

    package init(_ tap: TracedTap) {
        exchanges = tap.exchanges
    }

    package var isOver: Bool { place >= exchanges.count }

    /// Returns the next exchange with this command; `nil` if no such exchange is left in the trace.
    package mutating func next(_ command: ExchangeFacts.Command) -> ExchangeFacts? {
        guard let index = exchanges[place...].firstIndex(where: { $0.command.word == command }) else {
            divergences += 1
            return nil
        }
        divergences += index - place
        place = index + 1
        return exchanges[index]
    }
}

/// The actions of a traced phone over Bluetooth.
package struct AirScript: Equatable, Sendable {
    /// The time from the engagement to the link; `nil` if no link was made.
    package let connects: Duration?
    /// The time from the request to the first fragment of the answer.
    package let answers: Duration
    /// The number of fragments of the answer after which the phone left; `nil` if the phone did not leave.
    package let leavesAfter: UInt32?

    /// Reads the actions from one presentation; `nil` if the presentation did not use Bluetooth.
    package init?(_ lines: ArraySlice<FieldTraceLine>) {
        guard lines.contains(where: { $0.event.kind == .radio }) else { return nil }
        let engaged = lines.last { $0.isStep(.engaged) }?.milliseconds
        let linked = lines.last { $0.hasLink }?.milliseconds
        // If the trace has no engagement, the time from the engagement to the link is 0.
        connects = linked.map { .milliseconds(max($0 - (engaged ?? $0), 0)) }
        let asked = lines.last { $0.isStep(.awaitingConsent) }?.milliseconds
        let answer = lines.last { $0.fragmentsFromPhone != nil }
        let began = answer.map { $0.milliseconds - ($0.fragmentsFromPhone?.took ?? 0) }
        answers = .milliseconds(max((began ?? 0) - (asked ?? 0), 0))
        let wasLost = lines.contains { $0.isLoss }
        switch answer?.fragmentsFromPhone {
        case let facts?: leavesAfter = facts.isComplete ? nil : facts.fragments
        // A phone that was lost without a fragment left before its answer began.
        case nil: leavesAfter = wasLost ? 0 : nil
        }
    }
}

extension FieldTraceLine {
    fileprivate func isStep(_ word: StepFacts.Step) -> Bool {
        if case .step(let facts) = event { facts.step.word == word } else { false }
    }

    fileprivate var hasLink: Bool {
        if case .radio(let facts) = event { facts.link != nil } else { false }
    }

    fileprivate var isLoss: Bool {
        if case .link(let facts) = event { facts.change.word == .lost } else { false }
    }

    fileprivate var fragmentsFromPhone: FragmentsFacts? {
        if case .fragments(let facts) = event, facts.direction.word == .fromPhone { facts } else { nil }
    }
}
