internal import Synchronization

/// The places for decoders that run at once. Further ones wait in the order in which they came.
final class DecoderPlaces: Sendable {
    private struct State: Sendable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(free: count))
    }

    /// Waits for a place.
    func enter() async {
        await withCheckedContinuation { (place: CheckedContinuation<Void, Never>) in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(place)
                return false
            }
            if isFree { place.resume() }
        }
    }

    /// Gives a place back, to the first that waits.
    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
