internal import Synchronization

/// A limit on the work that runs at the same time. Each piece of work occupies one of a fixed number of
/// places. Callers that find no free place wait in the order of their calls.
package final class WorkPlaces: Sendable {
    private struct State: Sendable {
        var free: Int
        /// The callers that wait, in the order of their calls.
        var waiting: [CheckedContinuation<Bool, Never>] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    package init(count: Int, mostWaiting: Int = .max) {
        state = Mutex(State(free: count))
        self.mostWaiting = mostWaiting
    }

    /// Waits for a place. The caller returns the place with `leave`.
    ///
    /// - Returns: whether the caller has a place; `false` immediately if too many callers are already
    ///   waiting.
    package func enter() async -> Bool {
        await withCheckedContinuation { (place: CheckedContinuation<Bool, Never>) in
            // `nil` means that the caller waits: `leave` resumes the continuation later.
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

    /// Returns a place, which passes to the first waiting caller.
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
