internal import Glibc

/// An open event stream of the daemon at its Unix socket.
///
/// `next()` blocks its thread until an event comes. The daemon sends a comment line every 15 s, so a stream without a
/// byte for 40 s is over.
package struct DaemonEventStream: ~Copyable {
    /// The time without a byte after which the stream counts as lost, in seconds.
    private static let timeout = 40

    private let descriptor: Int32
    private let path: String
    private var parser = EventStreamParser()
    private var waiting: [DaemonEvent] = []

    /// Opens a stream.
    ///
    /// - Parameters:
    ///   - path: the path of the daemon's socket.
    ///   - target: the path of the stream, such as `/v1/accessories/events`.
    package init(at path: String, target: String) throws(DaemonClientError) {
        let request = "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        // A value that closes its descriptor must be complete before anything can fail.
        descriptor = try Self.open(path, sending: Array(request.utf8))
        self.path = path
    }

    /// Connects to the socket and sends a request. Returns the descriptor.
    private static func open(_ path: String, sending request: [UInt8]) throws(DaemonClientError) -> Int32 {
        let descriptor = try DaemonSocket.open(path, timeout: timeout)
        // The request is shorter than any socket's buffer, so it is sent whole or not at all.
        guard unsafe send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else {
            let code = errno
            close(descriptor)
            throw .unreachable(path: path, errno: code)
        }
        return descriptor
    }

    deinit { close(descriptor) }

    /// Returns the next event, or `nil` after the daemon has ended the stream.
    ///
    /// - Throws: `DaemonClientError` if the daemon refuses the stream, sends nothing for 40 s, or closes the connection
    ///   within an answer.
    package mutating func next() throws(DaemonClientError) -> DaemonEvent? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while waiting.isEmpty {
            guard !parser.isEnded else { return nil }
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unreachable(path: path, errno: count == 0 ? ECONNRESET : errno) }
            do throws(EventStreamParser.Fault) {
                waiting = try parser.receive(buffer.prefix(count))
            } catch {
                switch error {
                case .status(let status): throw .refused("status \(status)")
                case .malformed: throw .notAnAnswer(path: path)
                }
            }
        }
        return waiting.removeFirst()
    }
}
