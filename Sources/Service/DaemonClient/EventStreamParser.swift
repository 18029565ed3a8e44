/// An event of an event stream (HTML, 9.2).
package struct DaemonEvent: Equatable, Sendable {
    package let name: String
    /// The data, which the daemon writes as one line of JSON.
    package let data: [UInt8]

    package init(name: String, data: [UInt8]) {
        self.name = name
        self.data = data
    }
}

/// The parser of an HTTP/1.1 answer with an event stream: first the header section, then chunks (RFC 9112, 7.1), and in
/// the chunks the lines of the events.
///
/// The parser is fed with bytes in pieces of any size, and returns the events that are complete. It holds at most one
/// line; a header section, a chunk or a line above its limit is refused.
package struct EventStreamParser: Sendable {
    /// The reason why the bytes are no event stream.
    package enum Fault: Error, Equatable, Sendable {
        /// The status of the answer, if the daemon refuses the stream.
        case status(Int)
        case malformed
    }

    private enum Phase: Sendable {
        case head
        /// The line with the size of the next chunk.
        case size
        /// The rest of a chunk, and the line end after it.
        case chunk(left: Int)
        case chunkEnd
        /// The last chunk came: the daemon has ended the stream.
        case ended
    }

    private static let longestHead = 1 << 14
    private static let longestChunk = 1 << 20
    private static let longestLine = 1 << 20

    private var phase = Phase.head
    /// The bytes of the header section or of a size line, up to its end.
    private var pending: [UInt8] = []
    /// The bytes of the current line of the stream.
    private var line: [UInt8] = []
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    package init() {}

    /// Whether the daemon has ended the stream.
    package var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// Returns the events that these bytes complete.
    ///
    /// - Throws: `Fault` if the bytes are no event stream. The parser must not be used afterwards.
    package mutating func receive(_ bytes: some Sequence<UInt8>) throws(Fault) -> [DaemonEvent] {
        var events: [DaemonEvent] = []
        for byte in bytes {
            switch phase {
            case .head: try receiveHead(byte)
            case .size: try receiveSize(byte)
            case .chunk(let left):
                try receiveContent(byte, &events)
                phase = left > 1 ? .chunk(left: left - 1) : .chunkEnd
            case .chunkEnd:
                // CR, then LF.
                guard byte == 0x0D || byte == 0x0A else { throw .malformed }
                if byte == 0x0A { phase = .size }
            case .ended: return events
            }
        }
        return events
    }

    private mutating func receiveHead(_ byte: UInt8) throws(Fault) {
        pending.append(byte)
        guard pending.count <= Self.longestHead else { throw .malformed }
        guard pending.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) else { return }
        let head = String(decoding: pending, as: UTF8.self)
        pending = []
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else { throw .malformed }
        guard status == 200 else { throw .status(status) }
        let isChunked = head.split(separator: "\r\n").contains {
            let field = $0.lowercased()
            return field.hasPrefix("transfer-encoding:") && field.hasSuffix("chunked")
        }
        // The daemon sends every event stream in chunks, since its length is not known.
        guard isChunked else { throw .malformed }
        phase = .size
    }

    private mutating func receiveSize(_ byte: UInt8) throws(Fault) {
        guard byte == 0x0A else {
            pending.append(byte)
            guard pending.count <= 32 else { throw .malformed }
            return
        }
        guard pending.last == 0x0D else { throw .malformed }
        let size = String(decoding: pending.dropLast(), as: UTF8.self).prefix { $0 != ";" }
        pending = []
        guard let count = Int(size, radix: 16), (0...Self.longestChunk).contains(count) else {
            throw .malformed
        }
        phase = count == 0 ? .ended : .chunk(left: count)
    }

    private mutating func receiveContent(_ byte: UInt8, _ events: inout [DaemonEvent]) throws(Fault) {
        guard byte == 0x0A else {
            line.append(byte)
            guard line.count <= Self.longestLine else { throw .malformed }
            return
        }
        defer { line = [] }
        guard !line.isEmpty else {
            if hasData { events.append(DaemonEvent(name: name, data: data)) }
            (name, data, hasData) = ("", [], false)
            return
        }
        // A line that begins with a colon is a comment: the daemon's heartbeat.
        if let value = Self.value(of: "event", in: line) {
            name = String(decoding: value, as: UTF8.self)
        } else if let value = Self.value(of: "data", in: line) {
            data = Array(value)
            hasData = true
        }
    }

    /// The value of a field `NAME: VALUE`, or `nil` if the line has another name.
    private static func value(of name: String, in line: [UInt8]) -> ArraySlice<UInt8>? {
        let prefix = Array("\(name): ".utf8)
        return line.starts(with: prefix) ? line.dropFirst(prefix.count) : nil
    }
}
