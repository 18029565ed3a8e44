internal import ErrorMapping
package import JSON

/// What the daemon answered: a status and JSON.
package struct DaemonReply {
    private static let longestBody = 1 << 20

    private let status: Int
    package let body: [UInt8]

    /// Nil if it is not an answer in HTTP/1.1.
    init?(_ answer: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        let line = answer.prefix { $0 != UInt8(ascii: "\r") }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]),
            let head = answer.indices.first(where: { answer[$0...].starts(with: end) })
        else { return nil }
        self.status = status
        body = Array(answer[(head + end.count)...])
    }

    var isSuccess: Bool { (200..<300).contains(status) }

    /// The detail of a refusal (RFC 9457), which says what to do.
    var refusal: String {
        let members = ["type", "id", "title", "status", "detail", "pointer"] as Set
        let detail = try? reading { text throws(JSONFault) in
            try text.members(members).required("detail").string(upTo: 4096)
        }
        return detail.map { Terminal.safe($0) } ?? "status \(status)"
    }

    /// The answer as it came, to be written again.
    package func json() throws(DaemonClientError) -> JSONValue {
        let limits = (bytes: Self.longestBody, depth: JSONItem.standardLimits.depth)
        return try mapping(JSONValue(try JSONItem.parse(body[...], limits: limits))) { (error: JSONError) in
            DaemonClientError.malformed(JSONFault(error, in: body[...]))
        }
    }

    package func reading<Value>(
        _ body: (JSONText) throws(JSONFault) -> Value
    ) throws(DaemonClientError) -> Value {
        try mapping(body(JSONText(self.body[...], limit: Self.longestBody)), DaemonClientError.malformed)
    }
}
