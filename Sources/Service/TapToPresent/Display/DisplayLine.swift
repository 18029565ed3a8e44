internal import Glibc

/// Bytes to and from a display: a terminal or a socket.
struct DisplayLine: ~Copyable {
    /// What came of waiting for a line.
    enum Answer: Equatable {
        case line(String)
        /// The other end closed the connection, or sent a line that is too long.
        case closed
        case timeOver
    }

    private static let longestLine = 64
    private static let tick: Int32 = 50

    private let descriptor: Int32

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Whether all of it was taken in time.
    func write(_ bytes: [UInt8], during time: DisplayTime) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard !time.isOver else { return false }
            guard isReady(for: POLLOUT) else { continue }
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Self.write(bytes, to: descriptor)
            }
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Writing to a closed socket gives an error, not a signal.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        let count = unsafe send(
            descriptor, bytes.baseAddress, bytes.count,
            Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        guard count < 0, errno == ENOTSOCK else { return count }
        return unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }

    /// The next line, without its end.
    func line(during time: DisplayTime) -> Answer {
        var line: [UInt8] = []
        while !time.isOver {
            guard isReady(for: POLLIN) else { continue }
            var byte: UInt8 = 0
            let count = unsafe read(descriptor, &byte, 1)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count == 1, line.count < Self.longestLine else { return .closed }
            if byte == UInt8(ascii: "\n") { return .line(String(decoding: line, as: UTF8.self)) }
            if byte != UInt8(ascii: "\r") { line.append(byte) }
        }
        return .timeOver
    }

    /// Waits a short time for room, something to read, or the end.
    private func isReady(for events: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let count = unsafe Glibc.poll(&poll, 1, Self.tick)
        // Where the system refuses the call, it is not asked again at once.
        if count < 0, errno != EINTR { usleep(useconds_t(Self.tick) * 1000) }
        return count > 0
    }
}
