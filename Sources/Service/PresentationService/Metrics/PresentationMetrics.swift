internal import ReaderStore
internal import Reports
internal import Synchronization

/// The counters and histograms of the daemon's metrics. The labels are lanes, kinds, outcomes and ids of
/// reasons; no label describes a person.
package final class PresentationMetrics: Sendable {
    /// The kinds of writes to the store that are counted.
    enum Record: String, CaseIterable {
        /// A check that the store can keep what the order demands. Made before the request is sent to the
        /// phone.
        case check
        /// A receipt that is not final until somebody decides.
        case held
        /// A receipt, retained data, an export, or the removal of expired data.
        case receipt, retained, exported, purged
        /// A stored presentation, which its caller can read later.
        case presentation
        /// The state of an output.
        case output
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

    private struct Output: Hashable {
        let accessory: String
        let state: OutputState
    }

    private struct State {
        var outcomes: [Ended: Int] = [:]
        var outputs: [Output: Int] = [:]
        var phases: [Phase: Histogram] = [:]
        var webhooks: [String: Int] = [:]
        var records: [String: (written: Int, failed: Int)] = [:]
        var receiptsWaiting: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    /// Counts the outcome of a presentation.
    func countEnd(lane: String, kind: PresentationOrder.Kind, _ conclusion: Conclusion) {
        let ended = Ended(
            lane: lane, kind: kind.rawValue, outcome: conclusion.outcome.rawValue,
            // Only the first reason is counted. The outcome `allow` has no reason.
            reason: conclusion.reasons.first?.id ?? "none")
        state.withLock { $0.outcomes[ended, default: 0] += 1 }
    }

    /// Counts an output that has ended. An output that is still due or given is not counted.
    func countEnd(of output: StoredOutput) {
        guard output.state.isSettled else { return }
        let ended = Output(accessory: output.accessory.text, state: output.state)
        state.withLock { $0.outputs[ended, default: 0] += 1 }
    }

    /// Returns the number of outputs of an accessory in each final state, with a zero for each state that no
    /// output has. Without the zeros, a rule for an increase would miss the first output in a state.
    package func endedOutputs(of accessory: String) -> [(state: String, count: Int)] {
        let counted = state.withLock { $0.outputs }
        return OutputState.allCases.filter(\.isSettled).map { state in
            (state.rawValue, counted[Output(accessory: accessory, state: state), default: 0])
        }
    }

    /// Adds the durations of a presentation's phases to the histograms.
    func addDurations(of phases: [TransactionReport.Phase], at lane: String) {
        state.withLock { counted in
            for phase in phases {
                // The histogram counts seconds.
                counted.phases[Phase(lane: lane, name: phase.name), default: Histogram()]
                    .add(phase.duration.milliseconds / 1000)
            }
        }
    }

    /// Counts a webhook.
    ///
    /// - Parameter outcome: `delivered`, `given_up`, `dropped`, or `deferred` if the store keeps it until
    ///   there is room.
    package func webhook(_ outcome: String) {
        state.withLock { $0.webhooks[outcome, default: 0] += 1 }
    }

    /// Counts a write to the store.
    func countWrite(of record: Record, isWritten: Bool) {
        state.withLock { state in
            state.records[record.rawValue, default: (0, 0)].written += isWritten ? 1 : 0
            state.records[record.rawValue, default: (0, 0)].failed += isWritten ? 0 : 1
        }
    }

    /// Sets the number of receipts that the fleet's hub has not received.
    package func receiptsWaiting(_ count: Int64) {
        state.withLock { $0.receiptsWaiting = count }
    }

    /// Writes all metrics.
    package func write(to text: inout MetricsText) {
        let counted = state.withLock { $0 }
        text.begin(
            "countersign_presentations_total", type: "counter",
            about: "Presentations that are over, by outcome.")
        // Sorted by the text of the key, so that the samples always appear in the same order.
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
            about: "Durations of the phases of presentations, in seconds."
        )
        for (phase, histogram) in counted.phases.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(histogram, [("lane", phase.lane), ("phase", phase.name)])
        }
        text.begin("countersign_webhooks_total", type: "counter", about: "Webhooks by result.")
        for (outcome, count) in counted.webhooks.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("outcome", outcome)])
        }
        text.begin(
            "countersign_records_total", type: "counter",
            about: "Writes and removals of records in the store, by kind and result.")
        for (what, count) in counted.records.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count.written), [("what", what), ("outcome", "done")])
            text.add(Double(count.failed), [("what", what), ("outcome", "failed")])
        }
        guard let waiting = counted.receiptsWaiting else { return }
        text.begin(
            "countersign_fleet_receipts_waiting", type: "gauge",
            about: "Receipts that the hub of the fleet has not received."
        )
        text.add(Double(waiting))
    }
}

/// A cumulative histogram of durations in seconds.
struct Histogram: Sendable {
    /// The upper bounds of the buckets in seconds. The smallest buckets are for steps on this computer,
    /// and the largest for holders who take minutes to decide.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

    private(set) var counts = [Int](repeating: 0, count: bounds.count)
    private(set) var count = 0
    private(set) var sum = 0.0

    mutating func add(_ seconds: Double) {
        count += 1
        sum += seconds
        // Prometheus' buckets are cumulative: each also counts what the smaller ones count.
        for (index, bound) in Self.bounds.enumerated() where seconds <= bound { counts[index] += 1 }
    }
}
