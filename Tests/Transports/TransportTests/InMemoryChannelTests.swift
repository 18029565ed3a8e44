import Deadlines
import Testing
import Transport

@Suite("A pair of channels in memory")
struct InMemoryChannelTests {
    @Test("Messages arrive in order, whole and both ways")
    func bothWays() async throws {
        let (a, b) = InMemoryChannel.pair()
        try await a.send([1])
        try await a.send([])
        try await b.send([2, 3])
        #expect(try await b.receive() == [1])
        #expect(try await b.receive() == [])
        #expect(try await a.receive() == [2, 3])
    }

    @Test("A receive that waits gets the message that comes")
    func waiting() async throws {
        let (a, b) = InMemoryChannel.pair()
        let waiting = Task { try await b.receive() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(20))
        try await a.send([5])
        #expect(try await withDeadline("the message") { try await waiting.value } == [5])
    }

    @Test("Closing ends a receive on either side and names who closed")
    func closing() async throws {
        let (a, b) = InMemoryChannel.pair()
        let own = Task { try await a.receive() }
        let peer = Task { try await b.receive() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(20))
        await a.close()
        await #expect(throws: TransportError.closed(by: .own)) { try await own.value }
        await #expect(throws: TransportError.closed(by: .peer)) { try await peer.value }
        await #expect(throws: TransportError.closed(by: .own)) { try await a.send([1]) }
        await #expect(throws: TransportError.closed(by: .peer)) { try await b.send([1]) }
    }

    @Test("What was sent before the peer closed is still received")
    func lateReceive() async throws {
        let (a, b) = InMemoryChannel.pair()
        try await a.send([1])
        await a.close()
        #expect(try await b.receive() == [1])
        await #expect(throws: TransportError.closed(by: .peer)) { try await b.receive() }
    }

    @Test("Cancelling a receive loses no message")
    func cancelling() async throws {
        let (a, b) = InMemoryChannel.pair()
        let waiting = Task { try await b.receive() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        await #expect(throws: TransportError.cancelled) { try await waiting.value }
        try await a.send([1])
        #expect(try await b.receive() == [1])
    }

    @Test("Of two receives at once one is refused, and the other gets the message")
    func twoReceives() async throws {
        let (a, b) = InMemoryChannel.pair()
        try await expectOneOfTwoRefused(of: b) { try await a.send([1]) }
    }

    @Test("An end that is let go of is closed to the other")
    func letGo() async throws {
        var (a, b): (InMemoryChannel?, InMemoryChannel) = InMemoryChannel.pair()
        try await a?.send([1])
        a = nil
        #expect(try await b.receive() == [1])
        await #expect(throws: TransportError.closed(by: .peer)) { try await b.receive() }
    }
}
