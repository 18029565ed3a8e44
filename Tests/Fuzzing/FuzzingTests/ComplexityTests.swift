import Glibc
import Testing

@Suite("Hostile messages", .serialized)
struct ComplexityTests {
    /// Eight times the message costs about eight times the work, not the sixty-four of comparing each with each.
    @Test(
        "The work to process a message grows with its size, not with the square of its size",
        arguments: HostileMessage.all)
    func growth(message: HostileMessage) throws {
        let count = 128
        let small = try message.make(count)
        let large = try message.make(8 * count)
        #expect(large.count > 3 * small.count)
        let size = Double(large.count) / Double(small.count)
        var (much, little) = (Int.max, Int.max)
        var growth: Double { Double(much) / Double(little) }
        // The least of some runs, one beside the other: other work on the machine slows what shares a processor with it.
        for round in 0..<12 where round < 3 || growth >= 2.5 * size {
            little = min(little, work { message.read(small) })
            much = min(much, work { message.read(large) })
        }
        #expect(growth < 2.5 * size, "\(size) times the bytes took \(growth) times the work")
    }

    /// The CPU time of this thread for `body`, in nanoseconds.
    private func work(_ body: () -> Void) -> Int {
        let start = threadTime()
        body()
        return threadTime() - start
    }

    private func threadTime() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + time.tv_nsec
    }
}
