internal import PresentationService
internal import Synchronization

/// The responses over HTTP and the refusals among them, counted for all listeners of a daemon.
package final class HTTPMetrics: Sendable {
    private struct State {
        var responses: [Int: Int] = [:]
        var refusals: [String: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    func answered(status: Int) {
        state.withLock { $0.responses[status, default: 0] += 1 }
    }

    func refused(_ id: APIProblem.ID) {
        state.withLock { $0.refusals[id.rawValue, default: 0] += 1 }
    }

    /// The counts in Prometheus' text exposition format 0.0.4.
    func write(to text: inout MetricsText) {
        let counted = state.withLock { $0 }
        text.begin("countersign_http_responses_total", "counter", "Answers over HTTP, by status.")
        for (status, count) in counted.responses.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("status", "\(status)")])
        }
        text.begin(
            "countersign_http_refusals_total", "counter", "Refusals over HTTP, by the id of the error.")
        for (id, count) in counted.refusals.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("id", id)])
        }
    }
}
