internal import MdocWallet
internal import Synchronization

/// The engagement of the latest tap, for the one link that will carry its session.
package final class LatestEngagement: Sendable {
    private struct State {
        var engagement: WalletEngagement?
        var waiting: CheckedContinuation<WalletEngagement?, Never>?
    }

    private let state = Mutex(State())

    /// Takes the place of an engagement for which no link came.
    func put(_ engagement: WalletEngagement) {
        let waiting = state.withLock { state in
            let waiting = state.waiting.take()
            if waiting == nil { state.engagement = engagement }
            return waiting
        }
        waiting?.resume(returning: engagement)
    }

    /// Waits for a tap, one caller at a time; nil once the task is cancelled.
    func take() async -> WalletEngagement? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: WalletEngagement?? = state.withLock { state in
                    if Task.isCancelled { return .some(nil) }
                    if let engagement = state.engagement.take() { return engagement }
                    state.waiting = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            state.withLock { $0.waiting.take() }?.resume(returning: nil)
        }
    }
}
