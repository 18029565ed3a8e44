import PCSCTransport
import Testing
import Transport

@Suite("The virtual card without a reader")
struct VirtualCardTests {
    @Test("A card finds no reader where nothing listens, and says so within its bound")
    func unreachable() async throws {
        let card = VirtualCard(address: try Self.nobody, answering: { _ in .removeCard })
        let began = ContinuousClock.now
        await #expect(throws: VirtualCardError.readerUnreachable) { try await card.insert() }
        #expect(ContinuousClock.now - began < .seconds(60))
    }

    @Test("A cancelled insertion ends at once")
    func cancelled() async throws {
        let card = VirtualCard(address: try Self.nobody, answering: { _ in .removeCard })
        let task = Task { try await card.insert() }
        task.cancel()
        await #expect(throws: VirtualCardError.cancelled) { try await task.value }
    }

    /// Port 1 (TCPMUX) has no listener, and is none the system gives out.
    private static var nobody: SocketAddress {
        get throws { try SocketAddress(host: "127.0.0.1", port: 1) }
    }
}
