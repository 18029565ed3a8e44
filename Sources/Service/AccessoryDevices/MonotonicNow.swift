internal import Glibc

/// The clock of all deadlines of accessories.
package enum MonotonicNow {
    /// The time since the computer was started, including the time for which it was suspended.
    ///
    /// CLOCK_MONOTONIC stands still while the computer is suspended. With it, an output that was due before
    /// the lid was closed would still be due when the lid is opened hours later. CLOCK_BOOTTIME counts this
    /// time, and no change of the date moves it.
    package static var sinceBoot: Duration {
        var time = timespec()
        // The call fails only for an unknown clock or bad memory.
        _ = unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
