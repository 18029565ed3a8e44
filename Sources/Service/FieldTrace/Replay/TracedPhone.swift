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
    package var isHandoverSelect: Bool {
        direction.word == .fromPhone && records.contains(TraceWord(.handoverSelect))
    }
}

extension [FieldTraceEvent] {
    fileprivate func last<Facts>(_ facts: (FieldTraceEvent) -> Facts?) -> Facts? {
        reversed().lazy.compactMap(facts).first
    }
}
