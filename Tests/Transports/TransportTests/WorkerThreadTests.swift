import Glibc
import Synchronization
import Testing
import Transport

@Suite("A thread for calls that block")
struct WorkerThreadTests {
    private actor Confined {
        nonisolated let thread = WorkerThread()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }
        private var count = 0

        func step() -> (Int, pthread_t) {
            count += 1
            return (count, pthread_self())
        }

        nonisolated func stepInside() -> Int { assumeIsolated { $0.step().0 } }
    }

    @Test("Work is done in order, one piece at a time")
    func order() async {
        let thread = WorkerThread()
        let done = Mutex<[Int]>([])
        await withCheckedContinuation { continuation in
            for number in 0..<100 { thread.perform { done.withLock { $0.append(number) } } }
            thread.perform { continuation.resume() }
        }
        #expect(done.withLock { $0 } == Array(0..<100))
    }

    @Test("An actor on it runs on that thread alone, also when it blocks")
    func isolation() async {
        let confined = Confined()
        let threads = await withTaskGroup(of: (Int, pthread_t).self) { group in
            for _ in 0..<50 { group.addTask { await confined.step() } }
            return await group.reduce(into: Set<pthread_t>()) { $0.insert($1.1) }
        }
        #expect(threads.count == 1)
        let next = await withCheckedContinuation { continuation in
            confined.thread.perform { continuation.resume(returning: confined.stepInside()) }
        }
        #expect(next == 51)
    }

    @Test("What was handed over is done though the thread's owner has gone")
    func letGo() async {
        await withCheckedContinuation { continuation in
            WorkerThread().perform { continuation.resume() }
        }
    }
}
