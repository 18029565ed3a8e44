/// What a server does when a path is asked for: what it sends, and when.
package struct ServedAnswer: Sendable {
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends it again and again, as fast as it is taken or after each pause, until the other side has gone.
        case sendForever([UInt8], everyMilliseconds: Int64)
        case wait(milliseconds: Int64)
        /// Nothing more, and the connection stays.
        case hold
        case close
        /// Ends the connection as a network does, without the goodbye of TLS.
        case cut
    }

    package let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }
}

extension ServedAnswer {
    /// A whole answer with a body.
    package static func serving(_ body: [UInt8]) -> Self {
        Self([.send(head(200, length: body.count, []) + body)])
    }

    package static func status(_ code: Int, _ headers: [String] = []) -> Self {
        Self([.send(head(code, length: 0, headers))])
    }

    package static func redirecting(to location: String, _ code: Int = 302) -> Self {
        .status(code, ["Location: \(location)"])
    }

    /// A head that announces `length` bytes, then other steps.
    package static func head(
        _ code: Int = 200, length: Int?, _ headers: [String] = [], then steps: [Step]
    ) -> Self {
        Self([.send(head(code, length: length, headers))] + steps)
    }

    static func head(_ code: Int, length: Int?, _ headers: [String]) -> [UInt8] {
        var lines = ["HTTP/1.1 \(code) Said"] + headers
        if let length { lines.append("Content-Length: \(length)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
