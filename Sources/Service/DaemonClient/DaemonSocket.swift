internal import ErrorMapping
internal import Glibc
package import JSON

/// An HTTP client for the Unix socket of a daemon on this computer.
///
/// Each call opens a connection, sends one HTTP/1.1 request with `Connection: close` and reads the answer to
/// its end. The client needs neither Foundation's networking nor a token, because the daemon knows the
/// caller's user id from the socket (SO_PEERCRED).
///
/// - A call blocks its thread. It fails if the daemon sends no byte for `timeout` seconds.
/// - An answer has at most 1 MiB. A longer answer is cut off and then refused as malformed.
/// - Chunked answers are not decoded, so event streams cannot be read.
/// - An answer with a status outside of 200 to 299 is thrown as `DaemonClientError.refused`.
package struct DaemonSocket: Sendable {
    /// The largest HTTP answer, in bytes, with its status line and header fields.
    private static let longestAnswer = 1 << 20
    /// The path of the daemon's socket.
    package let path: String
    /// The time to wait for the next byte, in seconds.
    private let timeout: Int

    package init(path: String, timeout: Int = 10) {
        self.path = path
        self.timeout = timeout
    }

    /// Sends a request and returns the daemon's answer.
    ///
    /// - Parameters:
    ///   - method: The HTTP method, such as `POST`.
    ///   - target: The path with its query, such as `/v1/page-codes`.
    ///   - body: The JSON body, or `nil` for a request without a body.
    /// - Throws: `DaemonClientError.refused` if the daemon answers with an error.
    @discardableResult
    package func call(
        _ method: String, _ target: String, body: JSONValue? = nil
    ) throws(DaemonClientError) -> DaemonReply {
        var request = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        let text = body?.line ?? ""
        if body != nil { request += "Content-Type: application/json\r\n" }
        request += "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        guard let reply = DaemonReply(try exchange(Array(request.utf8))) else {
            throw .notAnAnswer(path: path)
        }
        guard reply.isSuccess else { throw .refused(reply.refusal) }
        return reply
    }

    /// Connects, sends the bytes of a request and reads the answer until the daemon closes the connection.
    private func exchange(_ request: [UInt8]) throws(DaemonClientError) -> [UInt8] {
        let descriptor = try Self.open(path, timeout: timeout)
        defer { close(descriptor) }
        var rest = request[...]
        while !rest.isEmpty {
            // Without MSG_NOSIGNAL, SIGPIPE would end this program if the daemon closes the connection early.
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw failure() }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        // After the last read the answer may be longer than the limit. The parser of the body then refuses
        // it.
        while answer.count <= Self.longestAnswer {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { throw failure() }
            guard count > 0 else { break }
            answer += buffer.prefix(count)
        }
        return answer
    }

    /// Opens a connection to a Unix socket.
    ///
    /// - Parameter timeout: the time in seconds after which a call that connects, reads or writes fails.
    /// - Returns: the descriptor, which the caller closes.
    static func open(_ path: String, timeout: Int) throws(DaemonClientError) -> Int32 {
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .unreachable(path: path, errno: errno) }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        // The results are ignored, because these two options fail only for a bad descriptor or a bad time.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard connect(descriptor, to: path) else {
            let code = errno
            close(descriptor)
            throw .unreachable(path: path, errno: code)
        }
        return descriptor
    }

    /// Connects a Unix socket to a path. If this returns `false`, `errno` has the reason.
    package static func connect(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // An empty path would name an abstract socket, and a path needs a NUL at its end (unix(7)).
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            errno = ENAMETOOLONG
            return false
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// The error for the system call that just failed.
    private func failure() -> DaemonClientError { .unreachable(path: path, errno: errno) }
}

/// An answer of the daemon: a status and a JSON body.
package struct DaemonReply {
    /// The largest body, in bytes.
    private static let longestBody = 1 << 20

    private let status: Int
    package let body: [UInt8]

    /// Parses an HTTP/1.1 answer. Returns `nil` if the bytes are not HTTP/1.1.
    fileprivate init?(_ answer: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        let line = answer.prefix { $0 != UInt8(ascii: "\r") }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]),
            // `head`: the index of the empty line after the header fields.
            let head = answer.indices.first(where: { answer[$0...].starts(with: end) })
        else { return nil }
        self.status = status
        body = Array(answer[(head + end.count)...])
    }

    fileprivate var isSuccess: Bool { (200..<300).contains(status) }

    /// The `detail` of the problem document in the body (RFC 9457), or the status if there is no `detail`.
    fileprivate var refusal: String {
        // All members of a problem document (RFC 9457) are listed here, because an unknown member is an
        // error. If the body is no problem document, the status alone is reported.
        let members = ["type", "id", "title", "status", "detail", "pointer"] as Set
        let detail = try? reading { text throws(JSONFault) in
            try text.members(members).required("detail").string(upTo: 4096)
        }
        return detail.map { Terminal.safe($0) } ?? "status \(status)"
    }

    /// The whole body as JSON, to be printed by a command.
    package func json() throws(DaemonClientError) -> JSONValue {
        let limits = (bytes: Self.longestBody, depth: JSONItem.standardLimits.depth)
        return try mapping(JSONValue(try JSONItem.parse(body[...], limits: limits))) { (error: JSONError) in
            DaemonClientError.malformed(JSONFault(error, in: body[...]))
        }
    }

    /// Reads members of the answer's JSON. If the closure throws a `JSONFault`, this function throws
    /// `DaemonClientError.malformed`.
    package func reading<Value>(
        _ body: (JSONText) throws(JSONFault) -> Value
    ) throws(DaemonClientError) -> Value {
        try mapping(body(JSONText(self.body[...], limit: Self.longestBody)), DaemonClientError.malformed)
    }
}

/// The reason why a call to the daemon gave no usable answer.
package enum DaemonClientError: Error, Equatable, Sendable {
    /// No process listens at the socket, or the connection broke.
    case unreachable(path: String, errno: Int32)
    /// The program at the socket does not speak HTTP/1.1.
    case notAnAnswer(path: String)
    /// The daemon answered with an error. The value is the error's `detail` (RFC 9457), or the HTTP status if
    /// the answer has no `detail`.
    case refused(String)
    /// The body is not the expected JSON.
    case malformed(JSONFault)
}
