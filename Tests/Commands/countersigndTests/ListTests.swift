import Foundation
import OtherPrograms
import Testing

@Suite("Presentations are listed page by page")
struct ListTests {
    private static func ids(_ reply: PlainHTTP.Reply) throws -> [String] {
        try (reply.json()["presentations"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    @Test("By lane and outcome, each once over all pages, and nothing of another caller")
    func pages() async throws {
        let reader = try await ReaderDaemon(lanes: [[], ["--age", "20", "--attests", "21"]])
        var ids: [String: Set<String>] = [:]
        for lane in ["lane-1", "lane-2", "lane-1", "lane-1"] {
            let id = try await reader.order(#", "lane": "\#(lane)""#)
            _ = try await reader.end(of: id)
            ids[lane, default: []].insert(id)
        }
        let app = reader.asApp
        let all = try await app.call("GET", "/v1/presentations")
        #expect(try await SchemaCheck(reader).faults(of: all, to: "GET", "/v1/presentations").isEmpty)
        #expect(try Self.ids(all).count == 4 && all.json()["next"] is NSNull)
        for (query, expected) in [
            ("lane=lane-1", ids["lane-1"]), ("outcome=allow", ids["lane-1"]), ("outcome=deny", ids["lane-2"]),
            ("lane=lane-2&outcome=allow", []), ("until=2026-01-01T00:00:00Z", []),
            ("from=2026-01-01T00:00:00Z&lane=lane-2", ids["lane-2"]), ("lane=lane-9", []),
        ] as [(String, Set<String>?)] {
            let reply = try await app.call("GET", "/v1/presentations?\(query)")
            #expect(try Set(Self.ids(reply)) == expected, "\(query)")
        }
        var seen: [String] = []
        var cursor = ""
        for _ in 0..<4 {
            let page = try await app.call("GET", "/v1/presentations?limit=1\(cursor)")
            seen += try Self.ids(page)
            guard let next = try page.json()["next"] as? String else { break }
            cursor = "&cursor=\(next)"
        }
        #expect(try seen == Self.ids(all))
        #expect(try await Self.ids(reader.asOtherApp.call("GET", "/v1/presentations")).isEmpty)
        #expect(try await Set(Self.ids(reader.asAdmin.call("GET", "/v1/presentations"))) == Set(seen))
    }

    @Test(
        "A query that is not valid is refused",
        arguments: [
            "limit=0", "limit=101", "limit=x", "limit=1&limit=1", "outcome=maybe", "from=today", "cursor=x",
            "cursor=-1-a", "lane=", "reference=", "reference=r&lane=lane-1", "state=armed",
            "reference=" + String(repeating: "r", count: 129),
        ])
    func refused(_ query: String) async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let reply = try await reader.asApp.call("GET", "/v1/presentations?\(query)")
        #expect(reply.status == 400 && reply.problem == "queryRefused", "\(reply.text)")
    }
}
