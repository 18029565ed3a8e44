internal import Glibc

/// The processor time of this process, in nanoseconds: other programs on the same processor do not count.
enum ProcessorClock {
    static func now() -> Int64 {
        var time = timespec()
        let isRead = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        precondition(isRead, "the kernel has no clock of a process")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    static func measure(_ body: () throws -> Void) rethrows -> Int64 {
        let start = now()
        try body()
        return now() - start
    }
}
