import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("Codes and cookies of the pages")
struct PageCodeTests {
    private static func code(_ client: PlainHTTP, _ page: String, lane: String = "lane-1") async throws
        -> PlainHTTP.Reply
    {
        try await client.call("POST", "/v1/page-codes", #"{"page": "\#(page)", "lane": "\#(lane)"}"#)
    }

    private static func enter(_ reader: ReaderDaemon, _ code: String) async throws -> PlainHTTP.Reply {
        try await reader.asNobody.call("POST", "/v1/page-sessions", #"{"code": "\#(code)"}"#)
    }

    /// A page with the cookie that a code of this client brought.
    private static func page(
        _ reader: ReaderDaemon, _ page: String, by client: PlainHTTP
    ) async throws -> PlainHTTP {
        let code = try #require(try await Self.code(client, page).json()["code"] as? String)
        let cookie = try #require(try await enter(reader, code).headers["set-cookie"])
        var opened = reader.asNobody
        opened.headers = [
            "Cookie": "other=1; \(cookie.prefix { $0 != ";" })", "Countersign-Page": "\(page)-lane-1",
        ]
        return opened
    }

    @Test("A code lets a page in once, and the cookie is for its page and lane alone")
    func once() async throws {
        let reader = try await ReaderDaemon(lanes: [nil, nil])
        let made = try await Self.code(reader.asClerk, "clerk")
        let code = try #require(try made.json()["code"] as? String)
        #expect(made.status == 201)
        #expect(try made.json()["path"] as? String == "/clerk?lane=lane-1#code=\(code)")
        let entered = try await Self.enter(reader, code)
        let cookie = try #require(entered.headers["set-cookie"])
        for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "countersign-clerk-lane-1="] {
            #expect(cookie.contains(part), "\(cookie)")
        }
        #expect(try await Self.enter(reader, code).problem == "pageCodeRefused")
        #expect(try await Self.enter(reader, "00").problem == "pageCodeRefused")
        let page = try await Self.page(reader, "clerk", by: reader.asClerk)
        #expect(try await page.call("GET", "/v1/lanes/lane-1").status == 200)
        #expect(try await page.call("GET", "/v1/lanes/lane-2").problem == "laneUnknown")
        #expect(try await page.call("GET", "/v1/presentations").problem == "forbidden")
        #expect(try await Self.code(page, "clerk").problem == "forbidden")
        for place in ["", "kiosk-lane-1", "clerk-lane-2", "clerk", "clerk-lane-1x"] {
            let reply = try await page.call(
                "GET", "/v1/lanes/lane-1", headers: ["Countersign-Page": place])
            #expect(reply.problem == "unauthorized", "\(place)")
        }
    }

    @Test("However many codes one caller has made, another's is as good as before, and its own newest is")
    func manyCodes() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        func code(_ client: PlainHTTP, _ page: String) async throws -> String {
            try #require(try await Self.code(client, page).json()["code"] as? String)
        }
        let other = try await code(reader.asScreen, "kiosk")
        let first = try await code(reader.asClerk, "clerk")
        var last = first
        for _ in 0..<80 { last = try await code(reader.asClerk, "clerk") }
        #expect(try await Self.enter(reader, first).problem == "pageCodeRefused")
        for code in [other, last] { #expect(try await Self.enter(reader, code).status == 200) }
    }

    @Test("Who lacks the scope of a page makes no code for it")
    func scopes() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        #expect(try await Self.code(reader.asScreen, "kiosk").status == 201)
        #expect(try await Self.code(reader.asScreen, "clerk").problem == "forbidden")
        #expect(try await Self.code(reader.asClerk, "kiosk").problem == "forbidden")
        #expect(try await Self.code(reader.asApp, "kiosk").problem == "forbidden")
        #expect(try await Self.code(reader.asNobody, "kiosk").problem == "unauthorized")
        #expect(try await Self.code(reader.asScreen, "kiosk", lane: "lane-9").problem == "laneUnknown")
        #expect(try await Self.code(reader.asScreen, "till").problem == "bodyRefused")
    }

    @Test("A cookie survives a restart, and is over with the token that it stands for")
    func restart() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let page = try await Self.page(reader, "kiosk", by: reader.asScreen)
        reader.daemon.signal(SIGTERM)
        _ = try await reader.daemon.ended()
        let file = reader.folder.appending(path: "countersignd.json")
        let again = try BuiltProgram("countersignd", ["--config", file.path])
        try await again.said(" ready")
        #expect(try await page.call("GET", "/v1/lanes/lane-1").status == 200)
        let events = try await page.events("/v1/lanes/lane-1/events")
        #expect(try await events.next()?.kind == "laneChanged")
        var members = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let tokens = try #require(members["tokens"] as? [[String: Any]])
        members["tokens"] = tokens.filter { $0["name"] as? String != "screen" }
        try JSONSerialization.data(withJSONObject: members).write(to: file)
        again.signal(SIGHUP)
        #expect(try await events.next() == nil)
        #expect(try await page.call("GET", "/v1/lanes/lane-1").problem == "unauthorized")
    }

    @Test("countersign page-code prints the address of a page, for a user at the socket who may open it")
    func commandLine() async throws {
        let socket = "\(FileManager.default.temporaryDirectory.path)/cs-\(UUID().uuidString.prefix(8)).sock"
        let users = #"[{"uid": \#(getuid()), "scopes": ["screen"], "lanes": ["lane-1"]}]"#
        let reader = try await ReaderDaemon(
            lanes: [nil, nil], members: ["socket": #"{"path": "\#(socket)", "users": \#(users)}"#])
        func run(_ page: String, _ lane: String, _ socket: String) async throws -> (Int32, String) {
            let run = try BuiltProgram(
                "countersign", ["page-code", "--page", page, "--lane", lane, "--socket", socket])
            return (try await run.ended(), run.output + run.errors)
        }
        let (status, text) = try await run("kiosk", "lane-1", socket)
        let code = try #require(text.firstMatch(of: /^\/kiosk\?lane=lane-1#code=([0-9a-f]{32})\n$/)?.1)
        #expect(status == 0)
        #expect(try await Self.enter(reader, String(code)).status == 200)
        #expect(try await run("clerk", "lane-1", socket).0 == 69)
        #expect(try await run("kiosk", "lane-2", socket).1.contains("scope"))
        #expect(try await run("kiosk", "lane-1", socket + "x").0 == 69)
        #expect(try await run("till", "lane-1", socket).0 == 64)
    }
}
