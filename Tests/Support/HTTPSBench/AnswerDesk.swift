internal import Synchronization

/// What all connections of a server share: the answers, and what was asked.
final class AnswerDesk: Sendable {
    private struct State {
        var answers: [String: ListServer.Answering]
        var connections = 0
        var open = 0
        var requests: [ListServer.Request] = []
        var waiting = 0
        var mostAtOnce = 0
    }

    private let state: Mutex<State>

    init(_ answers: [String: ServedAnswer]) {
        state = Mutex(State(answers: answers.mapValues { answer in { _ in answer } }))
    }

    var connections: Int { state.withLock { $0.connections } }
    var open: Int { state.withLock { $0.open } }
    var requests: [ListServer.Request] { state.withLock { $0.requests } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    /// The number of the connection, from 1.
    func noteConnection() -> Int {
        state.withLock { state in
            state.connections += 1
            state.open += 1
            return state.connections
        }
    }

    func endConnection() { state.withLock { $0.open -= 1 } }

    func set(_ path: String, _ answering: @escaping ListServer.Answering) {
        state.withLock { $0.answers[path] = answering }
    }

    func answer(to request: ListServer.Request) -> ServedAnswer {
        let answering = state.withLock { state in
            state.requests.append(request)
            return state.answers[request.path]
        }
        return answering?(request) ?? .status(404)
    }

    func beginWaiting() {
        state.withLock { state in
            state.waiting += 1
            state.mostAtOnce = max(state.mostAtOnce, state.waiting)
        }
    }

    func endWaiting() { state.withLock { $0.waiting -= 1 } }
}
