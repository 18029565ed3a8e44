internal import Dispatch

/// The thread that waits for the disk, so that no other has to.
final class RecordQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "countersign.records")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}
