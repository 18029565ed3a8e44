internal import MdocModel
internal import Synchronization

/// Time that continues if the system's clock is set back: it counts from the latest time that was seen, by a clock that nobody
/// sets.
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

    /// The time if the system's clock says `now`; never earlier than a time that was returned before.
    func time(at now: Timestamp) -> Timestamp {
        let instant = instant()
        return seen.withLock { seen in
            if let time = seen?.time(at: instant), now < time { return time }
            seen = Seen(latest: now, since: instant)
            return now
        }
    }

    /// The time if `latest` is the latest that the caller has stored: that, and the time since it was first seen.
    func time(since latest: Timestamp) -> Timestamp {
        let instant = instant()
        return seen.withLock { seen in
            if let seen, seen.latest == latest { return seen.time(at: instant) }
            seen = Seen(latest: latest, since: instant)
            return latest
        }
    }
}
