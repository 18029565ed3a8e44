internal import SystemPackage

/// A message channel over TCP, for tests and for the bench link, which replaces NFC and Bluetooth in trials
/// with the software wallet. Each message is a 4-byte big-endian length and that many bytes.
///
/// The channel closes when the two sides no longer agree where a frame begins: after a frame that is too long
/// or truncated, after the `frame` deadline, and after a send that was cancelled half-way. A cancelled
/// `receive` loses no byte.
package actor FramedTCPChannel: MessageChannel {
    private let poller: SocketPoller
    private let configuration: FramedTCPConfiguration
    private var socket: Socket?
    private var reader: FrameReader
    private var frameBegan: ContinuousClock.Instant?
    private var isReceiving = false
    private var isSending = false

    init(_ socket: consuming Socket, poller: SocketPoller, configuration: FramedTCPConfiguration) {
        self.poller = poller
        self.configuration = configuration
        self.socket = consume socket
        reader = FrameReader(maximumFrame: configuration.maximumFrame)
    }

    /// Connects to a listening peer. The address of a peer on another computer must have been made with
    /// `allowingNonLoopback`.
    package static func connect(
        to address: SocketAddress, configuration: FramedTCPConfiguration = FramedTCPConfiguration()
    ) async throws(TransportError) -> FramedTCPChannel {
        let socket = try await Socket.connected(to: address, within: configuration.connect)
        let poller = try SocketPoller.shared
        return FramedTCPChannel(socket, poller: poller, configuration: configuration)
    }

    package func send(_ message: ArraySlice<UInt8>) async throws(TransportError) {
        guard message.count <= configuration.maximumFrame else {
            throw .frameTooLong(length: message.count, limit: configuration.maximumFrame)
        }
        guard !isSending else { throw .alreadyWaiting }
        if Task.isCancelled { throw .cancelled }
        isSending = true
        defer { isSending = false }
        let deadline = ContinuousClock.now + configuration.frame
        let length = unsafe withUnsafeBytes(of: UInt32(message.count).bigEndian) { unsafe Array($0) }
        do throws(TransportError) {
            try await sendAll(length[...], more: true, until: deadline)
            try await sendAll(message, more: false, until: deadline)
        } catch {
            // After a partial frame, the peer could not find the beginning of the next frame.
            close()
            throw error
        }
    }

    package func receive() async throws(TransportError) -> [UInt8] {
        guard !isReceiving else { throw .alreadyWaiting }
        if Task.isCancelled { throw .cancelled }
        isReceiving = true
        defer { isReceiving = false }
        do throws(TransportError) {
            return try await nextFrame()
        } catch {
            // After these two errors both sides still agree where the next frame begins.
            if error != .cancelled && error != .deadlinePassed(.nextFrame) { close() }
            throw error
        }
    }

    package func close() {
        guard let descriptor = socket?.descriptor else { return }
        // A poll in progress keeps the connection open after the socket is closed. The shutdown notifies the
        // peer without waiting for the poll.
        socket?.shutdown()
        poller.end(waitsOn: descriptor)
        socket = nil
    }

    /// Reads until a frame is complete. The deadline `nextFrame` applies until the first byte of the frame,
    /// the deadline `frame` from then on.
    private func nextFrame() async throws(TransportError) -> [UInt8] {
        let silenceEnds = configuration.nextFrame.map { ContinuousClock.now + $0 }
        while true {
            do throws(TransportError) {
                if let frame = try readOnce() {
                    frameBegan = nil
                    return frame
                }
                if reader.isInsideFrame && frameBegan == nil { frameBegan = .now }
            } catch .system(.resourceTemporarilyUnavailable) {
                let frameEnds = frameBegan.map { $0 + configuration.frame }
                let name: ChannelDeadline = frameEnds == nil ? .nextFrame : .frame
                try await wait(for: .readable, until: frameEnds ?? silenceEnds, name)
            }
            // A peer that sends single bytes without a pause must not extend the deadline of its frame, nor
            // the life of a cancelled task.
            if let began = frameBegan, ContinuousClock.now > began + configuration.frame {
                throw .deadlinePassed(.frame)
            }
            if Task.isCancelled { throw .cancelled }
        }
    }

    /// Reads the bytes that have arrived. Returns a frame if they complete one, otherwise `nil`.
    private func readOnce() throws(TransportError) -> [UInt8]? {
        guard socket != nil else { throw .closed(by: .own) }
        return try unsafe reader.read { buffer throws(TransportError) in
            // A `Socket` cannot be copied, so it is used inside its optional, which is not `nil` here.
            try unsafe socket?.receive(into: buffer) ?? 0
        }
    }

    /// Sends all bytes, in as many parts as the system accepts.
    ///
    /// - Parameter more: whether the rest of the message follows.
    private func sendAll(
        _ bytes: ArraySlice<UInt8>, more: Bool, until deadline: ContinuousClock.Instant
    ) async throws(TransportError) {
        var rest = bytes
        while !rest.isEmpty {
            do throws(TransportError) {
                rest = rest.dropFirst(try sendOnce(rest, more: more))
            } catch .system(.resourceTemporarilyUnavailable) {
                try await wait(for: .writable, until: deadline, .frame)
            }
        }
    }

    private func sendOnce(_ bytes: ArraySlice<UInt8>, more: Bool) throws(TransportError) -> Int {
        guard socket != nil else { throw .closed(by: .own) }
        return try unsafe bytes.withUnsafeBufferPointer { buffer throws(TransportError) in
            // As in `readOnce`, the socket is not `nil` here.
            try unsafe socket?.send(UnsafeRawBufferPointer(buffer), more: more) ?? 0
        }
    }

    /// Waits until the socket is ready.
    ///
    /// - Parameter name: the deadline in the error `deadlinePassed`, which is thrown if `deadline` passes.
    private func wait(
        for interest: SocketPoller.Interest, until deadline: ContinuousClock.Instant?, _ name: ChannelDeadline
    ) async throws(TransportError) {
        guard let descriptor = socket?.descriptor else { throw .closed(by: .own) }
        try await poller.wait(for: interest, on: descriptor, until: deadline).orThrow(name)
    }
}

/// The limits and deadlines of a framed TCP channel.
package struct FramedTCPConfiguration: Sendable {
    /// The maximum length of a frame in bytes, without the four bytes of its length. Applies to both
    /// directions.
    package var maximumFrame: Int
    /// The maximum time until the peer has accepted a connection.
    package var connect: Duration
    /// The maximum wait for the peer's next frame. `nil` means no limit, for a caller that has its own
    /// deadline.
    package var nextFrame: Duration?
    /// The maximum time from a frame's first byte to its last, in either direction.
    package var frame: Duration

    package init(
        maximumFrame: Int = 1 << 20, connect: Duration = .seconds(10), nextFrame: Duration? = nil,
        frame: Duration = .seconds(30)
    ) {
        self.maximumFrame = min(max(maximumFrame, 0), Int(UInt32.max))
        self.connect = connect
        self.nextFrame = nextFrame
        self.frame = frame
    }
}
