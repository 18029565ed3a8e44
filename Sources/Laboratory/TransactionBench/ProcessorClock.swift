internal import BenchFloor
internal import Glibc

/// The processor time of this process, in nanoseconds: other programs on the same processor do not count.
enum ProcessorClock {
    static func now() -> Int64 {
        var time = timespec()
        let isRead = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        precondition(isRead, "the kernel has no clock of a process")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Runs `body`; the processor time that it took. valgrind counts its instructions.
    static func measure(_ body: () throws -> Void) throws -> Int64 {
        try withoutActuallyEscaping(body) { body in
            var counted = CountedBody(body: body)
            let start = now()
            unsafe withUnsafeMutablePointer(to: &counted) { counted in
                unsafe bench_run_counted(
                    { unsafe $0?.assumingMemoryBound(to: CountedBody.self).pointee.run() }, counted)
            }
            let time = now() - start
            if let failure = counted.failure { throw failure }
            return time
        }
    }
}

/// A closure that C runs, and the error that it threw.
private struct CountedBody {
    let body: () throws -> Void
    private(set) var failure: (any Error)?

    init(body: @escaping () throws -> Void) {
        self.body = body
    }

    mutating func run() {
        do { try body() } catch { failure = error }
    }
}
