internal import Synchronization

/// How many may wait for the disk at once; further ones are refused.
final class PendingLimit: Sendable {
    private static let places = 16
    private let taken = Mutex(0)

    /// False when there is no place; otherwise call `leave` later.
    func enter() -> Bool {
        taken.withLock { taken in
            guard taken < Self.places else { return false }
            taken += 1
            return true
        }
    }

    func leave() { taken.withLock { $0 -= 1 } }
}
