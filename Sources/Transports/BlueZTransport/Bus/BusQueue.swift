internal import Dispatch
internal import Transport

/// The serial queue of one bus, and the executor of every actor that uses the bus.
///
/// `Bus`, `Daemon`, `PeerSearch`, `GATTServer`, `GATTClient`, `L2CAPLink` and `L2CAPListener` are isolated to
/// this queue. One of these actors may call another with `assumeIsolated`, without a suspension, so that no
/// message from bluetoothd is handled between two steps. Callbacks of sd-bus and of ready descriptors run on
/// the queue too.
///
/// Work on the queue must not block. A call to bluetoothd suspends its task and leaves the queue free. Waits
/// for descriptors happen on the thread of `SocketPoller`. Calls that block run on a `WorkerThread`.
final class BusQueue: SerialExecutor {
    let queue = DispatchQueue(label: "bus")
    private let poller: SocketPoller

    init(_ poller: SocketPoller) {
        self.poller = poller
    }

    /// Calls `body` once on the queue when the descriptor is ready.
    func whenReady(
        for interest: SocketPoller.Interest, on descriptor: Int32, _ body: @escaping @Sendable () -> Void
    ) -> SocketPoller.Watch {
        poller.whenReady(for: interest, on: descriptor) { [queue] in queue.async(execute: body) }
    }

    /// Removes a watch of a descriptor. A callback that is already in the queue still runs.
    func forget(_ watch: SocketPoller.Watch?) {
        if let watch { poller.forget(watch) }
    }

    /// Waits until the descriptor may be written to, the limit has passed, or the task is cancelled.
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
