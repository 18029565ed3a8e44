internal import MdocModel
internal import Synchronization

/// A presentation at a lane: first with any phone that is tapped, then with the phone whose QR code is
/// scanned.
///
/// `present` runs in the task of the presentation and makes an attempt with the lane's device. The lane calls
/// `scan(_:)` and `cancel()` from other tasks meanwhile, so the state is behind a lock.
///
/// - Without a scanned code there is one attempt, and its result counts.
/// - `scan(_:)` cancels the first attempt. `present` waits until that attempt no longer uses the devices, and
///   makes a second attempt with the scanned engagement. Only the second result counts.
/// - `cancel()` cancels the attempt in progress, and no other follows.
///
/// A code is refused once a phone is engaged, so that the session in progress is not interrupted. If a tap
/// breaks off, QR codes are accepted again.
final class LaneRun: Sendable {
    private struct State {
        var isEngaged = false
        var isCancelled = false
        var scanned: DeviceEngagement?
        var attempt: Task<Presentation, Never>?
    }

    private let state = Mutex(State())

    /// Runs the presentation and returns the result that counts. The result of an attempt that a scanned code
    /// interrupted does not count.
    func present(
        _ plan: PresentationPlan, on device: any LaneDevice,
        report: @escaping @Sendable (PresentationEvent) -> Void
    ) async -> Presentation {
        let transaction = ReaderTransaction(plan) { event in
            switch event {
            case .engaged: self.state.withLock { $0.isEngaged = true }
            // No phone is engaged now, so a scanned code is accepted.
            case .armed, .tapAgain, .liftAndTapAgain, .confirmThenTapAgain:
                self.state.withLock { $0.isEngaged = false }
            default: break
            }
            report(event)
        }
        let first = await attempt(nil) { await device.run(transaction) }
        // If the first attempt was not cancelled, its result counts, even if a code was scanned meanwhile.
        guard first.failure == .cancelled, let scanned = scannedMeanwhile else { return first }
        await first.waitUntilLeft()
        return await attempt(scanned) { await device.run(transaction, scanned: scanned) }
    }

    /// The engagement of the QR code that was scanned; `nil` without a code, or if the presentation is
    /// cancelled.
    private var scannedMeanwhile: DeviceEngagement? {
        state.withLock { $0.isCancelled ? nil : $0.scanned }
    }

    /// Makes one attempt in a task that `scan(_:)` and `cancel()` can cancel.
    ///
    /// - Parameter scanned: the engagement of the second attempt; `nil` for the first.
    private func attempt(
        _ scanned: DeviceEngagement?, _ body: @escaping @Sendable () async -> Presentation
    ) async -> Presentation {
        let task = Task { await body() }
        state.withLock { state in
            state.attempt = task
            // A call of `scan` or `cancel` before this point found no task to cancel.
            if state.isCancelled || (scanned == nil && state.scanned != nil) { task.cancel() }
        }
        return await task.value
    }

    /// Cancels the attempt that waits for a tap, so that `present` continues with the phone whose QR code was
    /// scanned.
    func scan(_ engagement: DeviceEngagement) throws(LaneError) {
        // The result is optional twice: `.none` means that the code is refused, `.some(nil)` that the code is
        // accepted before an attempt has begun.
        let attempt = state.withLock { state -> Task<Presentation, Never>?? in
            guard !state.isEngaged, !state.isCancelled, state.scanned == nil else { return .none }
            state.scanned = engagement
            return .some(state.attempt)
        }
        guard let attempt else { throw .alreadyEngaged }
        attempt?.cancel()
    }

    /// Cancels the attempt in progress. No other attempt follows.
    func cancel() {
        state.withLock { state -> Task<Presentation, Never>? in
            state.isCancelled = true
            return state.attempt
        }?.cancel()
    }
}
