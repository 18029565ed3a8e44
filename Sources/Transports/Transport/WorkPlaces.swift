internal import Synchronization

/// A limited number of places for work that runs at once. Who comes later waits, in the order in which they came.
package final class WorkPlaces: Sendable {
    private struct State: Sendable {
        var free: Int
        /// From the first who came to the last.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    package init(count: Int, mostWaiting: Int = .max) {
        state = Mutex(State(free: count))
        self.mostWaiting = mostWaiting
    }

    /// Waits for a place. Who has one gives it back with `leave`.
    ///
    /// - Returns: false, at once and without a place, if too many wait already.
    package func enter() async -> Bool {
        await withCheckedContinuation { (place: CheckedContinuation<Bool, Never>) in
            let isFree = state.withLock { state -> Bool? in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                guard state.waiting.count < mostWaiting else { return false }
                state.waiting.append(place)
                return nil
            }
            if let isFree { place.resume(returning: isFree) }
        }
    }

    /// Gives a place back, to the first that waits.
    package func leave() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: true)
    }
}
