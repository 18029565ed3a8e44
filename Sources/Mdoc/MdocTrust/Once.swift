internal import Synchronization

/// A value that is made when it is first asked for, and kept: what follows from bytes alone is worked out once, whoever asks.
final class Once<Value: Sendable>: Sendable {
    private let kept = Mutex<Value?>(nil)

    /// Returns the value, which the first caller makes.
    func value(madeBy make: () -> Value) -> Value {
        kept.withLock { kept in
            if let kept { return kept }
            let made = make()
            kept = made
            return made
        }
    }
}
