internal import MdocModel
internal import Synchronization

/// One presentation at a lane: at first with whatever phone comes, then with the one whose code is scanned.
final class LaneRun: Sendable {
    private struct State {
        var isEngaged = false
        var isCancelled = false
        var scanned: DeviceEngagement?
        var attempt: Task<Presentation, Never>?
    }

    private let state = Mutex(State())

    /// Runs until there is a result that counts: what a scanned code interrupted does not.
    func present(
        _ plan: PresentationPlan, on device: any LaneDevice,
        tell: @escaping @Sendable (PresentationEvent) -> Void
    ) async -> Presentation {
        let transaction = ReaderTransaction(plan) { event in
            switch event {
            case .engaged: self.state.withLock { $0.isEngaged = true }
            case .armed, .tapAgain, .liftAndTapAgain, .confirmThenTapAgain:
                self.state.withLock { $0.isEngaged = false }
            default: break
            }
            tell(event)
        }
        let first = await attempt(nil) { await device.run(transaction) }
        guard first.failure == .cancelled, let scanned = scannedMeanwhile else { return first }
        await first.left()
        return await attempt(scanned) { await device.run(transaction, scanned: scanned) }
    }

    private var scannedMeanwhile: DeviceEngagement? {
        state.withLock { $0.isCancelled ? nil : $0.scanned }
    }

    private func attempt(
        _ scanned: DeviceEngagement?, _ body: @escaping @Sendable () async -> Presentation
    ) async -> Presentation {
        let task = Task { await body() }
        state.withLock { state in
            state.attempt = task
            if state.isCancelled || (scanned == nil && state.scanned != nil) { task.cancel() }
        }
        return await task.value
    }

    /// Takes the phone whose code was scanned instead of waiting for a tap.
    func scan(_ engagement: DeviceEngagement) throws(LaneError) {
        let attempt = state.withLock { state -> Task<Presentation, Never>?? in
            guard !state.isEngaged, !state.isCancelled, state.scanned == nil else { return .none }
            state.scanned = engagement
            return .some(state.attempt)
        }
        guard let attempt else { throw .alreadyEngaged }
        attempt?.cancel()
    }

    func cancel() {
        state.withLock { state -> Task<Presentation, Never>? in
            state.isCancelled = true
            return state.attempt
        }?.cancel()
    }
}
