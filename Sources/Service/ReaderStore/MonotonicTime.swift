internal import MdocModel
internal import Synchronization

/// A clock that never goes back, even if the system's clock is set back.
///
/// The time is the latest time that was passed to this clock, advanced by a `ContinuousClock` that nobody can
/// set.
package final class MonotonicTime: Sendable {
    private struct Seen {
        let latest: Timestamp
        let since: ContinuousClock.Instant

        func time(at instant: ContinuousClock.Instant) -> Timestamp {
            latest.advanced(bySeconds: (instant - since).components.seconds)
        }
    }

    private let seen = Mutex<Seen?>(nil)
    private let instant: @Sendable () -> ContinuousClock.Instant

    package init(_ instant: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.instant = instant
    }

    /// Returns the later of two times: `now`, and the latest previous result plus the time that has passed
    /// since that result. The results of successive calls never decrease.
    func time(at now: Timestamp) -> Timestamp {
        let instant = instant()
        return seen.withLock { seen in
            if let time = seen?.time(at: instant), now < time { return time }
            seen = Seen(latest: now, since: instant)
            return now
        }
    }

    /// Returns `latest` plus the time that has passed since the first call with this value.
    ///
    /// - Parameter latest: the latest time that the caller has stored.
    func time(since latest: Timestamp) -> Timestamp {
        let instant = instant()
        return seen.withLock { seen in
            if let seen, seen.latest == latest { return seen.time(at: instant) }
            seen = Seen(latest: latest, since: instant)
            return latest
        }
    }
}
