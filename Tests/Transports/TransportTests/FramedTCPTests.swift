import Deadlines
import Testing

@testable import Transport

@Suite("Frames over TCP")
struct FramedTCPTests {
    @Test("Messages arrive in order, whole and both ways", arguments: ["127.0.0.1", "::1"])
    func bothWays(_ host: String) async throws {
        let (client, server) = try await Self.pair(host: host)
        let long = (0..<1_048_576).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        async let sent: Void = client.send(long)
        #expect(try await withDeadline("the frame") { try await server.receive() } == long)
        try await sent
        for message in [[1], [], [2, 3]] as [[UInt8]] { try await server.send(message) }
        #expect(try await client.receive() == [1])
        #expect(try await client.receive() == [])
        #expect(try await client.receive() == [2, 3])
    }

    @Test("A slice is sent as the bytes it shows")
    func slices() async throws {
        let (client, server) = try await Self.pair()
        try await client.send([1, 2, 3, 4, 5][1..<4])
        #expect(try await server.receive() == [2, 3, 4])
    }

    @Test("Q195 A frame above the limit is neither sent nor taken, and the channel that got it closes")
    func limits() async throws {
        let (client, server) = try await Self.pair(
            client: FramedTCPConfiguration(maximumFrame: 100),
            server: FramedTCPConfiguration(maximumFrame: 10))
        await #expect(throws: TransportError.frameTooLong(length: 101, limit: 100)) {
            try await client.send([UInt8](repeating: 0, count: 101))
        }
        try await client.send([UInt8](repeating: 0, count: 10))
        #expect(try await server.receive().count == 10)
        try await client.send([UInt8](repeating: 0, count: 11))
        await #expect(throws: TransportError.frameTooLong(length: 11, limit: 10)) {
            try await server.receive()
        }
        await #expect(throws: TransportError.closed(by: .own)) { try await server.receive() }
    }

    @Test("Closing ends a receive on both sides and names who closed")
    func closing() async throws {
        let (client, server) = try await Self.pair()
        let own = Task { try await client.receive() }
        let peer = Task { try await server.receive() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(50))
        await client.close()
        await #expect(throws: TransportError.closed(by: .own)) { try await own.value }
        await #expect(throws: TransportError.closed(by: .peer)) {
            try await withDeadline("the peer's end") { try await peer.value }
        }
        await #expect(throws: TransportError.closed(by: .own)) { try await client.send([1]) }
    }

    @Test("Cancelling a receive ends it at once and loses nothing, not even half a frame")
    func cancelling() async throws {
        let (raw, server) = try await Self.rawPair()
        try raw.sendAll([0, 0, 0, 3, 7])
        let waiting = Task { try await server.receive() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: TransportError.cancelled) { try await waiting.value }
        try raw.sendAll([8, 9])
        #expect(try await withDeadline("the frame") { try await server.receive() } == [7, 8, 9])
    }

    @Test("A peer that says nothing is left by name, and may speak later")
    func silence() async throws {
        let (raw, server) = try await Self.rawPair(FramedTCPConfiguration(nextFrame: .milliseconds(100)))
        await #expect(throws: TransportError.deadlinePassed(.nextFrame)) { try await server.receive() }
        try raw.sendAll([0, 0, 0, 1, 7])
        #expect(try await server.receive() == [7])
    }

    @Test("A frame that does not end is given up by name")
    func stalledFrame() async throws {
        let (raw, server) = try await Self.rawPair(FramedTCPConfiguration(frame: .milliseconds(100)))
        try raw.sendAll([0, 0, 0, 2, 7])
        let began = ContinuousClock.now
        await #expect(throws: TransportError.deadlinePassed(.frame)) { try await server.receive() }
        #expect(ContinuousClock.now - began < .seconds(60))
        await #expect(throws: TransportError.closed(by: .own)) { try await server.receive() }
    }

    @Test("A peer that takes nothing is given up by name")
    func stalledSend() async throws {
        let (raw, server) = try await Self.rawPair(
            FramedTCPConfiguration(maximumFrame: 64 << 20, frame: .milliseconds(200)))
        await #expect(throws: TransportError.deadlinePassed(.frame)) {
            try await server.send([UInt8](repeating: 0, count: 64 << 20))
        }
        raw.close()
    }

    @Test("A peer that leaves in mid-frame has cut it off")
    func truncated() async throws {
        let (raw, server) = try await Self.rawPair()
        try raw.sendAll([0, 0, 0, 2, 7])
        raw.close()
        await #expect(throws: TransportError.truncatedFrame) { try await server.receive() }
    }

    @Test("Of two receives at once one is refused, and the other gets the message")
    func twoWaits() async throws {
        let (client, server) = try await Self.pair()
        try await expectOneOfTwoRefused(of: server) { try await client.send([1]) }
    }

    @Test("Where nothing listens the connection is refused")
    func refused() async throws {
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        await listener.close()
        let error = await #expect(throws: TransportError.self) {
            try await FramedTCPChannel.connect(to: listener.address)
        }
        expectRefused(error)
    }

    private func expectRefused(
        _ error: TransportError?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .connectionRefused = error else {
            Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    @Test("Closing or cancelling ends an accept, and a port in use is refused")
    func listening() async throws {
        let listener = try FramedTCPListener(on: SocketAddress(host: "127.0.0.1", port: 0))
        #expect(listener.address.port != 0)
        let error = #expect(throws: TransportError.self) { try FramedTCPListener(on: listener.address) }
        expectRefused(error)
        let cancelled = Task { _ = try await listener.accept() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(20))
        cancelled.cancel()
        await #expect(throws: TransportError.cancelled) { try await cancelled.value }
        let closed = Task { _ = try await listener.accept() }
        // Nothing shows that the other task waits by now.
        try await Task.sleep(for: .milliseconds(20))
        await listener.close()
        await #expect(throws: TransportError.closed(by: .own)) { try await closed.value }
    }

    @Test("A hundred channels at once wait on one thread and none takes another's frame")
    func many() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let (client, server) = try await Self.pair()
                    let echo = Task { try await server.send(try await server.receive()) }
                    try await client.send([UInt8(number)])
                    let answer = try await client.receive()
                    try await echo.value
                    return answer == [UInt8(number)]
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    private static func pair(
        host: String = "127.0.0.1", client: FramedTCPConfiguration = FramedTCPConfiguration(),
        server: FramedTCPConfiguration = FramedTCPConfiguration()
    ) async throws -> (FramedTCPChannel, FramedTCPChannel) {
        let listener = try FramedTCPListener(on: SocketAddress(host: host, port: 0), configuration: server)
        async let accepted = listener.accept()
        let connected = try await FramedTCPChannel.connect(to: listener.address, configuration: client)
        return (connected, try await accepted)
    }

    /// A channel and the bare socket at its other end.
    private static func rawPair(
        _ configuration: FramedTCPConfiguration = FramedTCPConfiguration()
    ) async throws -> (RawPeer, FramedTCPChannel) {
        let listener = try FramedTCPListener(
            on: SocketAddress(host: "127.0.0.1", port: 0), configuration: configuration)
        let raw = try await RawPeer(to: listener.address)
        return (raw, try await listener.accept())
    }
}

/// A peer that does not care for frames.
private final class RawPeer: Sendable {
    private let socket: Socket

    init(to address: SocketAddress) async throws {
        socket = try await Socket.connected(to: address, within: .seconds(5))
    }

    func sendAll(_ bytes: [UInt8]) throws {
        let sent = try unsafe bytes.withUnsafeBytes { try unsafe socket.send($0) }
        #expect(sent == bytes.count)
    }

    func close() { socket.shutdown() }
}
