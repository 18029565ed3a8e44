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

    @Test("A code signs one page in once, and the cookie is valid only for this page and lane")
    func once() async throws {
        let reader = try await ReaderDaemon(lanes: [nil, nil])
        let made = try await Self.code(reader.asClerk, "clerk")
        let code = try #require(try made.json()["code"] as? String)
        #expect(made.status == 201)
        #expect(try made.json()["path"] as? String == "/clerk?lane=lane-1#code=\(code)")
        let url = "http://127.0.0.1:\(reader.port)/clerk?lane=lane-1#code=\(code)"
        #expect(try made.json()["url"] as? String == url)
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

    @Test(
        "If one caller makes many codes, the codes of other callers and the caller's own newest code stay valid"
    )
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

    @Test("A receipt says that a decision came from the clerk's page, and names no source for a program's")
    func decision() async throws {
        let reader = try await ReaderDaemon()
        let page = try await Self.page(reader, "clerk", by: reader.asClerk)
        for (client, source) in [(page, "clerk"), (reader.asClerk, nil)] as [(PlainHTTP, String?)] {
            let id = try await reader.order(#", "retention": "receipt", "validation": "confirm""#)
            #expect(try await reader.end(of: id).last == "awaitingDecision")
            let reply = try await client.call(
                "POST", "/v1/presentations/\(id)/decision", #"{"decision": "approved"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let receipt = try await reader.receipt(of: id)
            let read = try await reader.asAdmin.call("GET", "/v1/receipts/\(receipt)").json()
            let statement = try #require(read["statement"] as? [String: Any])
            #expect(statement["decision"] as? String == "approved" && statement["version"] as? Int == 2)
            #expect(statement["decidedFrom"] as? String == source && statement["decidedBy"] is NSNull)
        }
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

    @Test("A cookie survives a restart, and becomes invalid when its token is withdrawn")
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
        let address = "http://127.0.0.1:\(reader.port)/kiosk?lane=lane-1#code="
        // The output is no terminal: the address alone, without a QR code.
        #expect(status == 0 && text.hasPrefix(address) && text.hasSuffix("\n"))
        let code = text.dropFirst(address.count).dropLast()
        #expect(code.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(try await Self.enter(reader, String(code)).status == 200)
        #expect(try await run("clerk", "lane-1", socket).0 == 69)
        #expect(try await run("kiosk", "lane-2", socket).1.contains("scope"))
        #expect(try await run("kiosk", "lane-1", socket + "x").0 == 69)
        #expect(try await run("till", "lane-1", socket).0 == 64)
    }

    // MARK: Words

    private static func words(_ client: PlainHTTP, _ page: String = "clerk") async throws -> String {
        let body = #"{"page": "\#(page)", "lane": "lane-1", "kind": "words"}"#
        return try #require(try await client.call("POST", "/v1/page-codes", body).json()["words"] as? String)
    }

    private static func pair(_ reader: ReaderDaemon, _ words: String) async throws -> PlainHTTP.Reply {
        try await reader.asNobody.call("POST", "/v1/page-sessions", #"{"words": "\#(words)"}"#)
    }

    @Test("Three words let their page in once, and the browser then learns this page and no other")
    func pairing() async throws {
        let reader = try await ReaderDaemon(lanes: [nil, nil], http: #""names": ["Shop.example"]"#)
        let made = try await reader.asClerk.call(
            "POST", "/v1/page-codes", #"{"page": "clerk", "lane": "lane-1", "kind": "words"}"#
        ).json()
        let words = try #require(made["words"] as? String)
        #expect(made["seconds"] as? Int == 600 && made["code"] == nil)
        #expect(made["url"] as? String == "https://shop.example/")
        let entered = try await Self.pair(reader, words.uppercased().replacing("-", with: " "))
        #expect(try entered.json()["page"] as? String == "clerk")
        #expect(try entered.json()["lane"] as? String == "lane-1")
        let cookie = String(try #require(entered.headers["set-cookie"]).prefix { $0 != ";" })
        #expect(try await Self.pair(reader, words).problem == "pageWordsRefused")
        func opened(_ cookies: String) async throws -> [String] {
            let reply = try await reader.asNobody.call(
                "GET", "/v1/page-sessions", headers: ["Cookie": cookies])
            let pages = try #require(try reply.json()["pages"] as? [[String: Any]])
            return pages.map { "\($0["page"] ?? "") \($0["lane"] ?? "")" }
        }
        #expect(try await opened("other=1; \(cookie)") == ["clerk lane-1"])
        #expect(try await opened(cookie.replacing("lane-1", with: "lane-2")) == [])
        #expect(try await opened(cookie.replacing("clerk", with: "kiosk")) == [])
        #expect(try await opened(cookie.dropLast() + "x") == [])
        #expect(try await opened("") == [])
        // So many cookies of pages are verified, and no more. Those of other programs and of lanes that are not
        // there do not count.
        func wrong(_ count: Int, _ name: String) -> String {
            String(repeating: "\(name)=\(String(repeating: "0", count: 64)); ", count: count)
        }
        let page = "countersign-clerk-lane-1"
        #expect(try await opened(wrong(7, page) + cookie) == ["clerk lane-1"])
        #expect(try await opened(wrong(8, page) + cookie) == [])
        #expect(
            try await opened(wrong(20, "other") + wrong(20, "countersign-clerk-lane-9") + cookie)
                == ["clerk lane-1"])
    }

    @Test("Only a caller with the scope can make sign-in words, and five wrong tries invalidate them")
    func pairingRefused() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        func refusal(_ client: PlainHTTP, _ body: String) async throws -> String? {
            try await client.call("POST", "/v1/page-codes", body).problem
        }
        let clerk = #"{"page": "clerk", "lane": "lane-1", "kind": "words"}"#
        for client in [reader.asScreen, reader.asAdmin] {
            #expect(try await refusal(client, clerk) == "forbidden")
        }
        #expect(try await refusal(reader.asApp, clerk) == "forbidden")
        #expect(try await refusal(reader.asNobody, clerk) == "unauthorized")
        let page = try await Self.page(reader, "clerk", by: reader.asClerk)
        #expect(try await refusal(page, clerk) == "forbidden")
        let other = clerk.replacing("lane-1", with: "lane-9")
        #expect(try await refusal(reader.asClerk, other) == "laneUnknown")
        #expect(
            try await refusal(reader.asClerk, clerk.replacing("words", with: "sign")) == "bodyRefused")
        let words = try await Self.words(reader.asClerk)
        let both = try await reader.asNobody.call(
            "POST", "/v1/page-sessions", #"{"words": "\#(words)", "code": "00"}"#)
        #expect(both.problem == "bodyRefused")
        #expect(
            try await Self.pair(reader, String(repeating: "a", count: 65)).problem == "bodyRefused")
        for _ in 1...5 {
            #expect(try await Self.pair(reader, "three wrong words").problem == "pageWordsRefused")
        }
        #expect(try await Self.pair(reader, words).problem == "pageWordsRefused")
        try await reader.daemon.said("all unused words are now invalid")
        #expect(try await Self.pair(reader, try await Self.words(reader.asClerk)).status == 200)
    }

    @Test("countersign page-code --words prints three words, and JSON has them with the address")
    func wordsOnTheCommandLine() async throws {
        let socket = "\(FileManager.default.temporaryDirectory.path)/cs-\(UUID().uuidString.prefix(8)).sock"
        let users = #"[{"uid": \#(getuid()), "scopes": ["admin"]}]"#
        let reader = try await ReaderDaemon(
            lanes: [nil], members: ["socket": #"{"path": "\#(socket)", "users": \#(users)}"#])
        func run(_ options: String...) async throws -> (status: Int32, output: String, errors: String) {
            let run = try BuiltProgram(
                "countersign", ["page-code", "--page", "owner", "--words", "--socket", socket] + options)
            return (try await run.ended(), run.output, run.errors)
        }
        let text = try await run()
        #expect(text.status == 0 && text.output.wholeMatch(of: /[a-z]+-[a-z]+-[a-z]+\n/) != nil)
        #expect(text.errors.contains("http://127.0.0.1:\(reader.port)/ "))
        let words = text.output.trimmingCharacters(in: .newlines)
        #expect(try await Self.pair(reader, words).json()["page"] as? String == "owner")
        let json = try await run("--json")
        let members = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        #expect(Set(members.keys) == ["words", "path", "url"] && json.errors.isEmpty)
    }
}
