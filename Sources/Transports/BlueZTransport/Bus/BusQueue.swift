internal import Dispatch

/// The serial queue of one bus, as the executor of every actor that works on it: what sd-bus calls back on this queue
/// may enter those actors at once.
final class BusQueue: SerialExecutor {
    let queue = DispatchQueue(label: "bus")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
