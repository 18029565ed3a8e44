internal import Dispatch

/// The end of work on another thread, for which a thread can wait with a limit.
final class Completion: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Records that the work has ended.
    func complete() { semaphore.signal() }

    /// Waits until the work has ended.
    ///
    /// - Returns: false if the time has passed before.
    func wait(until end: Duration) -> Bool {
        let left = max(.zero, end - .now)
        let result = semaphore.wait(timeout: .now() + .milliseconds(Int(left / .milliseconds(1))))
        guard result == .success else { return false }
        // A wait takes the signal, and a later wait must end too.
        semaphore.signal()
        return true
    }
}
