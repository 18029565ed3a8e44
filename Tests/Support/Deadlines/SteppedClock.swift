import Synchronization

/// A clock that stands still until a test moves it.
package final class SteppedClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { instant.withLock { $0 } }

    package func advance(by time: Duration) {
        instant.withLock { $0 += time }
    }
}
