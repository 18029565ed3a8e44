internal import Synchronization

/// Events for any number of listeners.
final class EventHub: Sendable {
    typealias Event = MobileDocumentReader.Event

    private struct State {
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var last = 0
    }

    private static let kept = 64

    private let state = Mutex(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.kept))
        let number = state.withLock { state in
            state.last += 1
            state.listeners[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in _ = state.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: Event) {
        for listener in state.withLock({ $0.listeners.values }) { listener.yield(event) }
    }
}
