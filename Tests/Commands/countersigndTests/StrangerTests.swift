import Deadlines
import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("Callers without a token keep nobody out")
struct StrangerTests {
    private static func healthz(_ reader: ReaderDaemon) -> String {
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n\r\n"
    }

    @Test(
        "A caller with a token is served even if idle, answered connections occupy every place",
        arguments: [(64, #"{"connections": 64}"#), (512, "{}")])
    func idle(_ places: Int, _ limits: String) async throws {
        try #require(ConnectionFlood.makeRoom(for: places), "raise the hard limit of open files")
        let reader = try await ReaderDaemon(lanes: [nil], members: ["limits": limits])
        let kept = try await reader.asApp.open(
            "GET /v1/lanes HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n"
                + "Authorization: Bearer \(ReaderDaemon.app)\r\n\r\n")
        _ = try await kept.next()
        var held: [PlainHTTP.Stream] = []
        for _ in 0..<places {
            let stream = try await reader.asNobody.open(Self.healthz(reader))
            _ = try await stream.next()
            held.append(stream)
        }
        #expect(try await reader.asApp.call("GET", "/v1/lanes").status == 200)
        // The newest stranger has its place still, the oldest learned why it has none, and who is known stays.
        try held[places - 1].write(Self.healthz(reader))
        #expect(
            try await held[places - 1].next().map {
                String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 200 ")
            }
                == true)
        let last = String(decoding: try await PlainHTTP.rest(of: held[0]), as: UTF8.self)
        #expect(last.contains(#""id":"tooManyConnections""#))
        try kept.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n\r\n")
        #expect(
            try await kept.next().map { String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 200 ") }
                == true)
    }

    @Test(
        "One token gets at most half of the places, however many connections it opens, and others are served"
    )
    func idleByToken() async throws {
        let places = 512
        try #require(ConnectionFlood.makeRoom(for: places), "raise the hard limit of open files")
        let reader = try await ReaderDaemon(lanes: [nil])
        let request =
            "GET /v1/lanes HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n"
            + "Authorization: Bearer \(ReaderDaemon.app)\r\n\r\n"
        var held: [PlainHTTP.Stream] = []
        for _ in 0..<places {
            let stream = try await reader.asApp.open(request)
            #expect(try await stream.next() != nil)
            held.append(stream)
        }
        #expect(try await reader.asClerk.call("GET", "/v1/lanes").status == 200)
        #expect(try await reader.asNobody.call("GET", "/healthz").status == 200)
        // Its own oldest made room for its newest, which is served still.
        #expect(try await held[0].next() == nil)
        try held[places - 1].write(Self.healthz(reader))
        #expect(try await held[places - 1].next() != nil)
    }

    @Test("However busy, a connection without a token ends; one with a token does not")
    func lifetime() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let stranger = try await reader.asNobody.open(Self.healthz(reader))
        let known = try await reader.asApp.open(
            "GET /v1/lanes HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\n"
                + "Authorization: Bearer \(ReaderDaemon.app)\r\n\r\n")
        _ = try await known.next()
        let began = ContinuousClock.now
        while try await stranger.next() != nil, ContinuousClock.now - began < .seconds(600) {
            try await Task.sleep(for: .seconds(2))
            try known.write(Self.healthz(reader))
            _ = try await known.next()
            try? stranger.write(Self.healthz(reader))
        }
        #expect(ContinuousClock.now - began < .seconds(180))
        try known.write(Self.healthz(reader))
        #expect(try await known.next() != nil)
    }

    @Test(
        "A long unread body ends the connection, and the client still receives the refusal",
        arguments: [
            ("POST /v1/presentations", nil, 401), ("GET /healthz", nil, 200), ("POST /v1/nothing", nil, 404),
            ("POST /v1/presentations", ReaderDaemon.screen, 403),
            ("POST /v1/presentations", ReaderDaemon.app, 413),
        ] as [(String, String?, Int)], ["Content-Length: 8000000000", "Transfer-Encoding: chunked"])
    func bodies(_ row: (line: String, token: String?, status: Int), _ field: String) async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let token = row.token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let stream = try await reader.asNobody.open(
            "\(row.line) HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\nContent-Type: application/json\r\n"
                + "\(token)\(field)\r\n\r\n")
        let chunk = "10000\r\n" + String(repeating: "x", count: 1 << 16) + "\r\n"
        var sent = 0
        // Who may order is refused once the body is too long, where its length was not named.
        if row.status == 413 {
            try stream.write(chunk + chunk)
            sent = 2 * chunk.utf8.count
        }
        let answer = try await stream.next()
        #expect(
            answer.map { String(decoding: $0, as: UTF8.self).hasPrefix("HTTP/1.1 \(row.status) ") } == true)
        let most = 256 << 20
        while sent < most, (try? stream.write(chunk)) != nil { sent += chunk.utf8.count }
        #expect(sent < most, "\(sent) bytes went in")
        // The twin: a short body leaves the connection open.
        let other = try await reader.asNobody.open(
            "POST /v1/presentations HTTP/1.1\r\nHost: 127.0.0.1:\(reader.port)\r\nContent-Length: 2\r\n\r\n{}"
        )
        _ = try await other.next()
        try other.write(Self.healthz(reader))
        #expect(try await other.next() != nil)
    }

    @Test("When a token is withdrawn, its event streams end, and the streams of other tokens go on")
    func withdrawn() async throws {
        let reader = try await ReaderDaemon()
        let path = "/v1/lanes/lane-1/events"
        let withdrawn = try await reader.asScreen.events(path)
        let other = try await reader.asClerk.events(path)
        for events in [withdrawn, other] { #expect(try await events.next()?.kind == "laneChanged") }
        let file = reader.folder.appending(path: "countersignd.json")
        var members = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let tokens = try #require(members["tokens"] as? [[String: Any]])
        members["tokens"] = tokens.filter { $0["name"] as? String != "screen" }
        try JSONSerialization.data(withJSONObject: members).write(to: file)
        reader.daemon.signal(SIGHUP)
        #expect(try await withdrawn.next() == nil)
        let id = try await reader.order()
        #expect(try await other.next()?.data["presentation"] == id)
    }
}
