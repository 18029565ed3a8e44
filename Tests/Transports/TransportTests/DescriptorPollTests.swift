import Glibc
import Testing

@testable import Transport

@Suite("Waiting for descriptors where the system refuses poll")
struct DescriptorPollTests {
    /// Two pipes for each descriptor that is looked at: the even ones have something to read.
    private final class Pipes {
        private(set) var ends: [[Int32]] = []

        init(_ count: Int) throws {
            for index in 0..<count {
                var pair: [Int32] = [-1, -1]
                try #require(unsafe pipe(&pair) == 0)
                ends.append(pair)
                let byte: [UInt8] = [1]
                if index % 2 == 0 { try #require(unsafe write(pair[1], byte, 1) == 1) }
            }
        }

        deinit { for end in ends.joined() { _ = close(end) } }

        var entries: [pollfd] { ends.map { pollfd(fd: $0[0], events: Int16(POLLIN), revents: 0) } }
    }

    private func ready(_ entries: [pollfd]) -> [Int] {
        entries.indices.filter { entries[$0].revents != 0 }
    }

    @Test("What is ready is noted, and nothing else")
    func ready() throws {
        let pipes = try Pipes(6)
        var entries = pipes.entries
        DescriptorPoll().wait(for: &entries, atMost: 1000)
        #expect(ready(entries) == [0, 2, 4])
    }

    @Test("More descriptors than the system takes at once are looked at in pieces", arguments: [17, 40])
    func tooMany(_ count: Int) throws {
        let pipes = try Pipes(count)
        var entries = pipes.entries
        let poll = DescriptorPoll { entries, milliseconds in
            entries.count > 16 ? -EINVAL : DescriptorPoll.system(&entries, milliseconds)
        }
        poll.wait(for: &entries, atMost: -1)
        #expect(ready(entries) == Array(stride(from: 0, to: count, by: 2)))
    }

    @Test(
        "An interrupted call and one without memory leave nothing ready, whatever the entries say",
        arguments: [EINTR, ENOMEM, EAGAIN])
    func refused(_ code: Int32) throws {
        let pipes = try Pipes(3)
        var entries = pipes.entries
        let poll = DescriptorPoll { entries, _ in
            for index in entries.indices { entries[index].revents = Int16(POLLIN) }
            return -code
        }
        poll.wait(for: &entries, atMost: 5)
        #expect(ready(entries) == [])
    }

    @Test(
        "If the system has no memory, the polling thread pauses between its calls",
        arguments: [(ENOMEM, true), (EINTR, false)])
    func rests(_ code: Int32, isResting: Bool) throws {
        let pipes = try Pipes(1)
        var entries = pipes.entries
        let poll = DescriptorPoll { _, _ in -code }
        var fastest = Duration.seconds(60)
        // Other work on the machine may slow a round down, and speeds none up.
        for _ in 0..<100 where fastest >= .milliseconds(200) {
            let start = ContinuousClock.now
            for _ in 0..<20 { poll.wait(for: &entries, atMost: -1) }
            fastest = min(fastest, ContinuousClock.now - start)
            if isResting { break }
        }
        #expect((fastest >= .milliseconds(200)) == isResting)
    }
}
