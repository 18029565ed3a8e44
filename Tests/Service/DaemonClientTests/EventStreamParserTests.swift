import Testing

@testable import DaemonClient

@Suite("The parser of the daemon's event stream")
struct EventStreamParserTests {
    private static let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"

    private static func chunk(_ text: String) -> String {
        "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
    }

    private static let stream =
        head + chunk("id: a-1\nevent: lane\ndata: {\"lane\":\"gate\"}\n\n: be")
        + chunk("at\n\nevent: output\nda") + chunk("ta: {\"output\":17}\n\n") + "0\r\n\r\n"

    private static let events = [
        DaemonEvent(name: "lane", data: Array(#"{"lane":"gate"}"#.utf8)),
        DaemonEvent(name: "output", data: Array(#"{"output":17}"#.utf8)),
    ]

    @Test("Events come whole, however the bytes are cut", arguments: [1, 2, 3, 7, 50, 1000])
    func pieces(size: Int) throws {
        var parser = EventStreamParser()
        var events: [DaemonEvent] = []
        var rest = Array(Self.stream.utf8)[...]
        while !rest.isEmpty {
            events += try parser.receive(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        #expect(events == Self.events)
        #expect(parser.isEnded)
    }

    @Test("An event without its end is no event")
    func unfinished() throws {
        var parser = EventStreamParser()
        #expect(try parser.receive(Array((Self.head + Self.chunk("event: lane\ndata: {}\n")).utf8)) == [])
        #expect(try parser.receive(Array(Self.chunk("\n").utf8)).map(\.name) == ["lane"])
    }

    @Test(
        "An answer that is no event stream is refused",
        arguments: [
            (
                "HTTP/1.1 403 Forbidden\r\ntransfer-encoding: chunked\r\n\r\n",
                EventStreamParser.Fault.status(403)
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", .malformed),
            ("SSH-2.0-OpenSSH_9.2\r\n\r\n", .malformed),
            (head + "xyz\r\n", .malformed),
            (head + "fffffff\r\n", .malformed),
            (head + "2\r\nab!", .malformed),
        ])
    func refused(answer: String, fault: EventStreamParser.Fault) {
        var parser = EventStreamParser()
        #expect(throws: fault) { try parser.receive(Array(answer.utf8)) }
    }

    @Test("A header section or a line without an end is refused at its limit")
    func limits() throws {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.Fault.malformed) {
            try parser.receive(Array(repeating: UInt8(ascii: "a"), count: 1 << 15))
        }
        var second = EventStreamParser()
        _ = try second.receive(Array(Self.head.utf8))
        let chunk = Array(Self.chunk(String(repeating: "a", count: 1 << 19)).utf8)
        _ = try second.receive(chunk)
        #expect(throws: EventStreamParser.Fault.malformed) {
            try second.receive(chunk)
            try second.receive(chunk)
        }
    }
}
