internal import ReaderStore
internal import Reports
internal import Synchronization

/// What is counted and timed. Nothing here is about a person: lanes, kinds, outcomes, and the ids of reasons.
package final class PresentationMetrics: Sendable {
    /// What the daemon keeps, and what it does about it.
    enum Record: String, CaseIterable {
        /// Whether it could be kept at all was looked at.
        case check
        /// What a receipt will say once somebody has decided.
        case held
        case receipt, retained, exported, purged
        /// How a presentation ended, for its caller.
        case presentation
    }

    private struct Ended: Hashable {
        let lane: String
        let kind: String
        let outcome: String
        let reason: String
    }

    private struct Phase: Hashable {
        let lane: String
        let name: String
    }

    private struct State {
        var outcomes: [Ended: Int] = [:]
        var phases: [Phase: Histogram] = [:]
        var webhooks: [String: Int] = [:]
        var records: [String: (written: Int, failed: Int)] = [:]
        var receiptsWaiting: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    func ended(lane: String, kind: PresentationOrder.Kind, _ conclusion: Conclusion) {
        let ended = Ended(
            lane: lane, kind: kind.rawValue, outcome: conclusion.outcome.rawValue,
            reason: conclusion.reasons.first?.id ?? "none")
        state.withLock { $0.outcomes[ended, default: 0] += 1 }
    }

    func took(_ phases: [TransactionReport.Phase], at lane: String) {
        state.withLock { counted in
            for phase in phases {
                counted.phases[Phase(lane: lane, name: phase.name), default: Histogram()]
                    .add(phase.duration.milliseconds / 1000)
            }
        }
    }

    /// - Parameter outcome: `delivered`, `given_up`, `dropped`, or `deferred` if the store keeps it until there is room.
    package func webhook(_ outcome: String) {
        state.withLock { $0.webhooks[outcome, default: 0] += 1 }
    }

    func kept(_ record: Record, isWritten: Bool) {
        state.withLock { state in
            state.records[record.rawValue, default: (0, 0)].written += isWritten ? 1 : 0
            state.records[record.rawValue, default: (0, 0)].failed += isWritten ? 0 : 1
        }
    }

    /// How many receipts the hub of the fleet does not have.
    package func receiptsWaiting(_ count: Int64) {
        state.withLock { $0.receiptsWaiting = count }
    }

    /// The counts in Prometheus' text exposition format 0.0.4.
    package func write(to text: inout MetricsText) {
        let counted = state.withLock { $0 }
        text.begin(
            "countersign_presentations_total", type: "counter",
            about: "Presentations that are over, by outcome.")
        for (outcome, count) in counted.outcomes.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(
                Double(count),
                [
                    ("lane", outcome.lane), ("kind", outcome.kind), ("outcome", outcome.outcome),
                    ("reason", outcome.reason),
                ])
        }
        text.begin(
            "countersign_phase_seconds", type: "histogram",
            about: "How long the phases of presentations took."
        )
        for (phase, histogram) in counted.phases.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(histogram, [("lane", phase.lane), ("phase", phase.name)])
        }
        text.begin("countersign_webhooks_total", type: "counter", about: "Webhooks, by what became of them.")
        for (outcome, count) in counted.webhooks.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("outcome", outcome)])
        }
        text.begin(
            "countersign_records_total", type: "counter",
            about: "Records that the store was asked to keep or to remove.")
        for (what, count) in counted.records.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count.written), [("what", what), ("outcome", "done")])
            text.add(Double(count.failed), [("what", what), ("outcome", "failed")])
        }
        guard let waiting = counted.receiptsWaiting else { return }
        text.begin(
            "countersign_fleet_receipts_waiting", type: "gauge",
            about: "Receipts that the hub of the fleet does not have."
        )
        text.add(Double(waiting))
    }
}

/// How often what took how long, in seconds.
struct Histogram: Sendable {
    /// Upper bounds: from a local step to a holder who reads for minutes.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

    private(set) var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var count = 0
    private(set) var sum = 0.0

    mutating func add(_ seconds: Double) {
        count += 1
        sum += seconds
        for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts[index] += 1 }
    }
}
