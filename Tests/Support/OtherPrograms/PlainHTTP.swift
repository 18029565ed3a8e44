internal import Foundation
internal import Glibc

/// HTTP/1.1 by a socket of its own for each call, so that tests can send what no client would.
package struct PlainHTTP: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    package struct Reply: Sendable {
        package let status: Int
        /// By their names in lower case.
        package let headers: [String: String]
        package let body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }

        package func json() throws -> [String: Any] {
            guard let value = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
                throw Failure(description: "no JSON object: \(text)")
            }
            return value
        }

        /// The id of a refusal (RFC 9457); nil where it is not a refusal.
        package var problem: String? {
            guard headers["content-type"] == "application/problem+json" else { return nil }
            return (try? json())?["id"] as? String
        }
    }

    package let address: Address
    /// Sent with each call.
    package var headers: [String: String]

    package init(_ address: Address, token: String? = nil) {
        self.address = address
        headers = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
    }

    package var host: String {
        if case .tcp(let port) = address { "127.0.0.1:\(port)" } else { "localhost" }
    }

    package func call(
        _ method: String, _ path: String, _ body: String? = nil, headers further: [String: String] = [:]
    ) async throws -> Reply {
        var fields = ["Host": host, "Connection": "close"]
        if let body {
            fields["Content-Type"] = "application/json"
            fields["Content-Length"] = "\(body.utf8.count)"
        }
        fields.merge(headers) { _, new in new }
        fields.merge(further) { _, new in new }
        let head = fields.filter { !$0.value.isEmpty }.map { "\($0): \($1)\r\n" }.joined()
        return try await Reply(send("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body ?? "")"))
    }

    /// Sends bytes as they are; everything that comes back until the daemon closes.
    package func send(_ text: String, timeout: Int = 120) async throws -> [UInt8] {
        try await Self.rest(of: open(text, timeout: timeout))
    }

    /// Sends bytes as they are, and gives what comes back as it comes.
    package func open(_ text: String, timeout: Int = 120) async throws -> Stream {
        try await offThisThread { try Stream(address, text, timeout: timeout) }
    }

    /// Everything that comes back on a connection until the daemon closes.
    package static func rest(of stream: Stream) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await stream.next() { bytes += more }
        return bytes
    }

    /// Opens an event stream.
    package func events(_ path: String, after lastID: String? = nil) async throws -> EventReader {
        var fields = headers
        fields["Host"] = host
        if let lastID { fields["Last-Event-ID"] = lastID }
        let head = fields.map { "\($0): \($1)\r\n" }.joined()
        return EventReader(try await open("GET \(path) HTTP/1.1\r\n\(head)\r\n"))
    }

    /// One connection.
    package final class Stream: Sendable {
        private let descriptor: Int32

        fileprivate init(_ address: Address, _ text: String, timeout: Int) throws {
            descriptor = try Self.connected(address)
            var limit = timeval(tv_sec: timeout, tv_usec: 0)
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            try write(text)
        }

        deinit { close(descriptor) }

        package func write(_ text: String) throws {
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(description: "the connection is gone (\(errno))") }
                rest = rest.dropFirst(count)
            }
        }

        /// Says that nothing more is sent, and goes on hearing.
        package func finish() {
            shutdown(descriptor, Int32(SHUT_WR))
        }

        /// What came next; nil at the end. Throws where nothing came in time.
        package func next() async throws -> [UInt8]? {
            try await offThisThread { [self] in
                var bytes = [UInt8](repeating: 0, count: 1 << 16)
                let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
                if count < 0, errno == ECONNRESET { return nil }
                guard count >= 0 else { throw Failure(description: "nothing came in time") }
                return count == 0 ? nil : Array(bytes.prefix(count))
            }
        }

        private static func connected(_ address: Address) throws -> Int32 {
            let descriptor = address.newSocket
            guard address.connect(descriptor) else {
                let fault = errno
                close(descriptor)
                throw Failure(description: "nobody listens (\(fault))")
            }
            return descriptor
        }
    }

    /// Reads Server-Sent Events from a connection.
    package final class EventReader {
        package struct Event: Sendable {
            package let id: String
            package let kind: String
            /// The data, as JSON.
            package let text: String

            package init(id: String, kind: String, text: String) {
                (self.id, self.kind, self.text) = (id, kind, text)
            }

            package var json: [String: Any] {
                let value = try? JSONSerialization.jsonObject(with: Data(text.utf8))
                return value as? [String: Any] ?? [:]
            }

            /// The members that are texts.
            package var data: [String: String] { json.compactMapValues { $0 as? String } }
        }

        private let stream: Stream
        private var text = ""
        package private(set) var status = 0

        fileprivate init(_ stream: Stream) {
            self.stream = stream
        }

        /// The next event; comments are passed over. Nil at the end.
        package func next() async throws -> Event? {
            while true {
                while let end = text.range(of: "\n\n") {
                    let frame = String(text[..<end.lowerBound])
                    text.removeSubrange(..<end.upperBound)
                    if let event = Self.event(frame) { return event }
                }
                guard let more = try await stream.next() else { return nil }
                // Lengths of chunks stand on lines of their own, and in no event.
                text += String(decoding: more, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
                if status == 0, text.hasPrefix("HTTP/1.1 "), let end = text.range(of: "\n\n") {
                    status = Int(text.dropFirst(9).prefix(3)) ?? 0
                    text.removeSubrange(..<end.upperBound)
                }
            }
        }

        private static func event(_ frame: String) -> Event? {
            var fields: [Substring: Substring] = [:]
            for line in frame.split(separator: "\n") {
                guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { continue }
                fields[line[..<colon]] = line[line.index(after: colon)...].dropFirst()
            }
            guard let id = fields["id"], let kind = fields["event"], let data = fields["data"] else {
                return nil
            }
            return Event(id: String(id), kind: String(kind), text: String(data))
        }
    }
}

extension PlainHTTP.Reply {
    package init(_ bytes: [UInt8]) throws {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
            throw PlainHTTP.Failure(description: "no answer: \(String(decoding: bytes, as: UTF8.self))")
        }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        self.headers = headers
        let rest = bytes[end.upperBound...]
        body =
            headers["transfer-encoding"] == "chunked" ? Self.joined(rest) ?? Array(rest) : Array(rest)
    }

    /// What came in chunks (RFC 9112 7.1); nil where the last of them did not come, as in a stream that goes on.
    private static func joined(_ chunks: ArraySlice<UInt8>) -> [UInt8]? {
        var (rest, body) = (chunks, [UInt8]())
        while let end = rest.firstRange(of: Array("\r\n".utf8)),
            let size = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16)
        {
            rest = rest[end.upperBound...]
            guard size > 0 else { return body }
            guard rest.count >= size + 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}

/// Runs what blocks on a thread that may wait.
package func offThisThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Result { try body() }) }
        thread.stackSize = 1 << 18
        thread.start()
    }
}
