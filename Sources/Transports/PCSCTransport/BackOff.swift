internal import Dispatch

/// Waits that double from a first to a longest one.
struct BackOff {
    private var milliseconds: Int
    private let longest: Int

    /// Before pcscd is tried again.
    static let reconnecting = BackOff(milliseconds: 100, longest: 5_000)

    /// Before readers are listed again though pcscd reported no change. pcscd compares the list with the one at the
    /// beginning of the wait: a reader that came just before, like the second interface of a device that was plugged
    /// in, is never reported. Close looks after a change, one a minute otherwise.
    static let relisting = BackOff(milliseconds: 250, longest: 60_000)

    mutating func next() -> DispatchTimeInterval {
        defer { milliseconds = min(milliseconds * 2, longest) }
        return .milliseconds(milliseconds)
    }
}
