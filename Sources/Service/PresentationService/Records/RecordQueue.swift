internal import Dispatch

/// The thread that waits for the disk, so that no other has to.
package final class RecordQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "countersign.records")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
