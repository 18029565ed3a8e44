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
