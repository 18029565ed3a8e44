package import Dispatch

/// A serial dispatch queue as the executor of actors: callbacks on the queue may enter them at once.
///
/// Calls that may block for a long time belong on a `WorkerThread`.
package final class SerialQueue: SerialExecutor {
    package let queue: DispatchQueue

    package init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
