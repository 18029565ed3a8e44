internal import Glibc

/// A thread for calls that block. The thread runs closures and actor jobs in the order in which they were
/// added.
///
/// As the executor of an actor, the thread runs all code of the actor. The thread ends when this object is
/// released and the queue is empty. A call that never returns keeps its thread alive, but not this object.
package final class WorkerThread: SerialExecutor {
    private let queue = WorkQueue()

    package init() {
        queue.start()
    }

    deinit {
        queue.close()
    }

    /// Adds `body` to the end of the queue.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        queue.append(body)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedSerialExecutor()
        queue.append { unsafe job.runSynchronously(on: executor) }
    }

    package func checkIsolated() {
        precondition(queue.isCurrentThread, "not on the worker thread")
    }
}

/// The queue of a worker thread. The lock and the condition are allocated separately because their addresses
/// must not change.
@safe private final class WorkQueue: @unchecked Sendable {  // the lock guards the other members
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let filled: UnsafeMutablePointer<pthread_cond_t>
    private var work: [@Sendable () -> Void] = []
    private var isClosed = false
    private var thread: pthread_t?

    init() {
        unsafe lock = .allocate(capacity: 1)
        unsafe filled = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(filled, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(filled)
        unsafe pthread_mutex_destroy(lock)
        unsafe filled.deallocate()
        unsafe lock.deallocate()
    }

    func start() {
        var handle = pthread_t()
        // The thread keeps the queue alive until the thread ends.
        let owner = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &handle, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<WorkQueue>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, owner.toOpaque())
        precondition(status == 0, "pthread_create failed: the system has no thread left")
        pthread_detach(handle)
    }

    func append(_ body: @escaping @Sendable () -> Void) {
        withLock { work.append(body) }
        unsafe pthread_cond_signal(filled)
    }

    func close() {
        withLock { isClosed = true }
        unsafe pthread_cond_signal(filled)
    }

    var isCurrentThread: Bool {
        withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    private func run() {
        withLock { thread = pthread_self() }
        while let body = next() { body() }
    }

    /// Waits for the next closure. Returns `nil` when the queue is closed and empty.
    private func next() -> (@Sendable () -> Void)? {
        withLock {
            while work.isEmpty && !isClosed { unsafe pthread_cond_wait(filled, lock) }
            return work.isEmpty ? nil : work.removeFirst()
        }
    }

    private func withLock<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return body()
    }
}
