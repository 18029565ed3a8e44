internal import Synchronization

/// A value that is computed for the first caller and cached for all later callers. Safe to use from several
/// threads.
final class Once<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    /// Returns the cached value. The first caller computes it with `make`, while other callers wait.
    func value(madeBy make: () -> Value) -> Value {
        kept.withLock { kept in
            if let kept { return kept }
            let made = make()
            kept = made
            return made
        }
    }
}
