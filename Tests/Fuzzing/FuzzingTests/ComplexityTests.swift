import Glibc
import Testing

@Suite("Hostile messages", .serialized)
struct ComplexityTests {
    /// Eight times the message costs about eight times the work, not the sixty-four of comparing each with each.
    @Test("Work grows with the size of a message, not with its square", arguments: HostileMessage.all)
    func growth(message: HostileMessage) throws {
        let count = 128
        let small = try message.make(count)
        let large = try message.make(8 * count)
        #expect(large.count > 3 * small.count)
        let growth = Double(work { message.read(large) }) / Double(work { message.read(small) })
        let size = Double(large.count) / Double(small.count)
        #expect(growth < 2.5 * size, "\(size) times the bytes took \(growth) times the work")
    }

    /// The least CPU time of this thread for `body` in a few runs, in nanoseconds.
    private func work(_ body: () -> Void) -> Int {
        (0..<3).map { _ in
            let start = threadTime()
            body()
            return threadTime() - start
        }.min() ?? 0
    }

    private func threadTime() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + time.tv_nsec
    }
}
