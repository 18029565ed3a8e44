/// What is known of a phone from one presentation of a trace, and what it did.
package struct TracedPhone: Equatable, Sendable {
    package let taps: [TracedTap]
    package let capabilities: CapabilitiesFacts?
    /// The handover service, where the phone negotiates.
    package let service: ServiceFacts?
    /// The last of an NFC v2 engagement, where there was one.
    package let version2: NFCVersion2Facts?
    /// The Handover Select.
    package let select: MessageFacts?
    package let engagement: EngagementFacts?
    /// Why the last tap failed, or the presentation.
    package let fault: FaultFacts?
    package let end: EndFacts?
    /// What it did over Bluetooth, where that was used.
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
        let tapAgain: FaultFacts? = events.last { event in
            if case .step(let facts) = event { facts.cause } else { nil }
        }
        self.end = end
        fault = end?.cause ?? tapAgain
    }

    /// The bytes of data that came with the answer over NFC.
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
    fileprivate func last<Facts>(_ facts: (FieldTraceEvent) -> Facts?) -> Facts? {
        reversed().lazy.compactMap(facts).first
    }
}

/// What a phone did at one tap, from its power to the next.
package struct TracedTap: Equatable, Sendable {
    package fileprivate(set) var exchanges: [ExchangeFacts] = []
    /// From its last exchange to the moment at which it left the reader; nil if it stayed.
    package fileprivate(set) var left: Duration?
    /// From its last exchange to the next tap; nil for the last.
    package fileprivate(set) var next: Duration?
    /// When the last exchange was over, in milliseconds of the file.
    fileprivate var ended: Double

    /// Whether the phone leaves in the middle of a command.
    package var breaksOff: Bool { exchanges.last?.failure?.word == .cardLost }
}

extension [TracedTap] {
    /// The taps of one presentation; a phone that got no command had none.
    package init(_ lines: some Sequence<FieldTraceLine>) {
        self = []
        for line in lines {
            switch line.event {
            case .powered: append(TracedTap(ended: line.milliseconds))
            case .exchange(let exchange) where !isEmpty:
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

    private mutating func setNext(of index: Int, _ milliseconds: Double) {
        guard indices.contains(index) else { return }
        self[index].next = .milliseconds(Swift.max(milliseconds - self[index].ended, 0))
    }
}

/// Says for each command of a reader what the traced phone did with it.
///
/// A reader may ask otherwise than the one that was traced: commands that it leaves out are skipped, and one that
/// the phone never got has no entry.
package struct TapScript: Equatable, Sendable {
    private let exchanges: [ExchangeFacts]
    private var place = 0
    /// How many commands there were that the traced phone did not get there.
    package private(set) var divergences = 0

    package init(_ tap: TracedTap) {
        exchanges = tap.exchanges
    }

    package var isOver: Bool { place >= exchanges.count }

    /// The next exchange with this command; nil if the trace has none.
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

/// What a traced phone did over Bluetooth.
package struct AirScript: Equatable, Sendable {
    /// From the engagement to its link; nil if it made none.
    package let connects: Duration?
    /// From the request to the first fragment of its answer.
    package let answers: Duration
    /// After how many fragments of its answer it left; nil if it did not.
    package let leavesAfter: UInt32?

    /// Nil if the presentation did not use Bluetooth.
    package init?(_ lines: ArraySlice<FieldTraceLine>) {
        guard lines.contains(where: { $0.event.kind == .radio }) else { return nil }
        let engaged = lines.last { $0.isStep(.engaged) }?.milliseconds
        let linked = lines.last { $0.hasLink }?.milliseconds
        connects = linked.map { .milliseconds(max($0 - (engaged ?? $0), 0)) }
        let asked = lines.last { $0.isStep(.awaitingConsent) }?.milliseconds
        let answer = lines.last { $0.fragmentsFromPhone != nil }
        let began = answer.map { $0.milliseconds - ($0.fragmentsFromPhone?.took ?? 0) }
        answers = .milliseconds(max((began ?? 0) - (asked ?? 0), 0))
        let wasLost = lines.contains { $0.isLoss }
        switch answer?.fragmentsFromPhone {
        case let facts?: leavesAfter = facts.isComplete ? nil : facts.fragments
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
