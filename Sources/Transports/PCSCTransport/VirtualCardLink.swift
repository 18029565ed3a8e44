internal import Dispatch
internal import Synchronization
internal import Transport

/// A stay of a virtual card on its reader: a TCP connection to vpcd, and the thread that answers on it.
final class VirtualCardLink: Sendable {
    private struct State {
        var isOpen = true
        var ended: ContinuousClock.Instant?
        var fault: VirtualCardError?
    }

    /// vpcd's control code that requests the answer to reset.
    private static let answerToResetRequest: UInt8 = 4

    private let socket: Socket
    private let power: @Sendable (CardPower) -> Void
    private let reset: @Sendable () -> [UInt8]
    private let answering: @Sendable (ArraySlice<UInt8>) -> CardAnswer
    private let state = Mutex(State())
    /// Signalled when the card is removed, to end a delay.
    private let pulled = DispatchSemaphore(value: 0)
    private let thread = WorkerThread()

    /// Connects to the virtual reader. Afterwards `start` answers its messages.
    ///
    /// - Throws: the errors of `Socket.connected`.
    init(
        address: SocketAddress, within limit: Duration, power: @escaping @Sendable (CardPower) -> Void,
        reset: @escaping @Sendable () -> [UInt8],
        answering: @escaping @Sendable (ArraySlice<UInt8>) -> CardAnswer
    ) async throws(TransportError) {
        socket = try await Socket.connected(to: address, within: limit)
        try socket.makeBlocking()
        self.power = power
        self.reset = reset
        self.answering = answering
    }

    var isOpen: Bool { state.withLock { $0.isOpen } }
    /// The time when the stay ended; `nil` while the card is present.
    var ended: ContinuousClock.Instant? { state.withLock { $0.ended } }
    var fault: VirtualCardError? { state.withLock { $0.fault } }

    /// Answers messages on the card's thread until the stay ends.
    func start() {
        thread.perform {
            while self.isOpen, let message = self.receive(), self.handle(message) {}
            self.close()
        }
    }

    /// Ends the stay. The connection ends, which the reader treats as the removal of the card.
    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            if state.isOpen { state.ended = .now }
            return state.isOpen
        }
        guard wasOpen else { return }
        socket.shutdown()
        pulled.signal()
    }

    /// Answers one message. Returns `false` if the stay is over.
    private func handle(_ message: [UInt8]) -> Bool {
        // A message of one byte is a control code of vpcd; any other message is a command.
        guard message.count == 1 else { return carryOut(answering(message[...])) }
        if message[0] == Self.answerToResetRequest { return send(reset()) }
        if let change = CardPower(rawValue: message[0]) { power(change) }
        return true
    }

    /// Sends an answer or leaves the field, after the delay if there is one. Returns `false` if the stay is
    /// over.
    private func carryOut(_ answer: CardAnswer) -> Bool {
        switch answer {
        case .respond(let bytes): return send(bytes)
        case .respondLater(let bytes, let delay):
            return wait(for: delay) && send(bytes)
        case .removeCard: return false
        case .removeCardLater(let delay):
            // The stay is over after this wait, whether the delay has passed or the card was removed during
            // the delay.
            _ = wait(for: delay)
            return false
        }
    }

    /// Waits for a delay. Returns `false` early if the card is removed meanwhile.
    private func wait(for delay: Duration) -> Bool {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        return pulled.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut
    }

    /// Reads the next message; `nil` if the connection is over.
    private func receive() -> [UInt8]? {
        guard let length = receive(count: 2) else { return nil }
        return receive(count: Int(length[0]) << 8 | Int(length[1]))
    }

    /// Reads `count` bytes; `nil` if the connection ends earlier.
    private func receive(count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            guard let received = receive(into: &bytes[filled...]), received > 0 else { return nil }
            filled += received
        }
        return bytes
    }

    /// Waits for bytes and returns their number; `nil` after an error.
    private func receive(into room: inout ArraySlice<UInt8>) -> Int? {
        do throws(TransportError) {
            // vpcd sends length and body in two small writes. The second write waits 40 ms unless the first
            // write is acknowledged immediately.
            try socket.acknowledgeQuickly()
            return try unsafe room.withUnsafeMutableBufferPointer { room throws(TransportError) in
                try unsafe socket.receive(into: UnsafeMutableRawBufferPointer(room))
            }
        } catch {
            return nil
        }
    }

    /// Sends a message with its length. Returns `false` if the message is too long or the connection is lost.
    private func send(_ bytes: [UInt8]) -> Bool {
        guard let length = UInt16(exactly: bytes.count) else {
            state.withLock { $0.fault = .answerTooLong(length: bytes.count) }
            return false
        }
        var rest = ([UInt8(length >> 8), UInt8(length & 0xFF)] + bytes)[...]
        while !rest.isEmpty {
            guard let sent = send(once: rest) else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Sends bytes and returns the number that the system accepted; `nil` if the connection is lost.
    private func send(once bytes: ArraySlice<UInt8>) -> Int? {
        do throws(TransportError) {
            return try unsafe bytes.withUnsafeBufferPointer { bytes throws(TransportError) in
                try unsafe socket.send(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            return nil
        }
    }
}
