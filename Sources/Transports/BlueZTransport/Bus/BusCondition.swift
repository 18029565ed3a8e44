internal import Dispatch

/// A condition variable for tasks that wait for changes of state on the bus's queue. Used only on that queue.
final class BusCondition: @unchecked Sendable {  // used on the bus's queue only
    private let queue: BusQueue
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter = 0

    init(_ bus: Bus) {
        queue = bus.queue
    }

    /// Resumes all waiting tasks, which check their condition again.
    func signal() {
        queue.checkIsolated()
        let waiting = waiters.values
        waiters = [:]
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until `signal` is called, the deadline has passed, or the task is cancelled. The caller then
    /// checks its condition again.
    func wait(
        until deadline: ContinuousClock.Instant? = nil, isolation: isolated (any Actor)? = #isolation
    ) async {
        lastWaiter += 1
        let number = lastWaiter
        let timer = deadline.map { alarm(for: number, at: $0) }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            // A closure is isolated to the actor only if it captures the actor. On another executor the
            // closure could miss a signal.
            _ = isolation
            await withCheckedContinuation { continuation in
                queue.checkIsolated()
                if Task.isCancelled { return continuation.resume() }
                waiters[number] = continuation
            }
        } onCancel: {
            queue.queue.async { self.wake(number) }
        }
    }

    /// Returns a timer that wakes one waiting task at the deadline.
    private func alarm(for number: Int, at deadline: ContinuousClock.Instant) -> DispatchWorkItem {
        let (seconds, attoseconds) = (deadline - .now).components
        let nanoseconds = max(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000), 0)
        let item = DispatchWorkItem { self.wake(number) }
        queue.queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: item)
        return item
    }

    private func wake(_ number: Int) {
        waiters.removeValue(forKey: number)?.resume()
    }
}
