internal import Synchronization

/// How many callers may wait for the disk at once, and how often each; further ones are refused.
final class PendingLimit: Sendable {
    static let places = 16
    private let ofOneCaller: Int
    private let taken = Mutex<[String: Int]>([:])

    init(ofOneCaller: Int = 4) {
        self.ofOneCaller = ofOneCaller
    }

    /// False when there is no place; otherwise call `leave` later.
    func enter(_ caller: String) -> Bool {
        taken.withLock { taken in
            guard taken.values.reduce(0, +) < Self.places, taken[caller, default: 0] < ofOneCaller else {
                return false
            }
            taken[caller, default: 0] += 1
            return true
        }
    }

    func leave(_ caller: String) {
        taken.withLock { taken in
            let rest = taken[caller, default: 1] - 1
            taken[caller] = rest > 0 ? rest : nil
        }
    }
}
