internal import Dispatch
internal import Transport

/// The serial queue of one bus, the executor of every actor that works on it. Callbacks for ready descriptors run
/// on it, too.
final class BusQueue: SerialExecutor {
    let queue = DispatchQueue(label: "bus")
    private let poller: SocketPoller

    init(_ poller: SocketPoller) {
        self.poller = poller
    }

    /// Calls `body` on the queue when the descriptor is ready, once.
    func whenReady(
        for interest: SocketPoller.Interest, on descriptor: Int32, _ body: @escaping @Sendable () -> Void
    ) -> SocketPoller.Watch {
        poller.whenReady(for: interest, on: descriptor) { [queue] in queue.async(execute: body) }
    }

    /// A call that is under way on the queue is still made.
    func forget(_ watch: SocketPoller.Watch?) {
        if let watch { poller.forget(watch) }
    }

    /// Returns when the descriptor may be written to, `limit` is over or the task is cancelled.
    func untilWritable(_ descriptor: Int32, within limit: Duration) async {
        _ = await poller.wait(for: .writable, on: descriptor, until: .now + limit)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
