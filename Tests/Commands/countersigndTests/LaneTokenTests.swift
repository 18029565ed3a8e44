import Foundation
import OtherPrograms
import Testing

@Suite("Tokens that are for some lanes")
struct LaneTokenTests {
    /// A wallet whose holder takes a minute to decide.
    private static let slow = ["--consent-time", "60000"]

    /// The member `tokens` with an app token, for these lanes or for all, and the other callers of the tests.
    private static func tokens(_ lanes: String?) -> String {
        let lanes = lanes.map { #", "lanes": \#($0)"# } ?? ""
        return #"""
            [{"name": "app", "scopes": ["app"]\#(lanes),
              "sha256": "087d685b238eeaf155d9d90b40642466559a5df63c6d4e79501de9fe0f9faf53"},
             {"name": "otherApp", "scopes": ["app"],
              "sha256": "d62749ab99a805d35279814205962feb417c0ecf22a0b173a693fb3609d44f71"},
             {"name": "admin", "scopes": ["admin"],
              "sha256": "12371cac728c629c46c4ba653d0f7fd37a82328cf18b4061f8e318a5c56f78fc"}]
            """#
    }

    /// Puts another member into the daemon's file.
    private static func change(_ reader: ReaderDaemon, tokens: String) throws {
        let file = reader.folder.appending(path: "countersignd.json")
        var members = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        members["tokens"] = try JSONSerialization.jsonObject(with: Data(tokens.utf8))
        try JSONSerialization.data(withJSONObject: members).write(to: file)
    }

    private static func order(_ lane: Int, _ further: String = "") -> String {
        #"{"kind": "display", "intent": "age over 21", "lane": "lane-\#(lane)"\#(further)}"#
    }

    /// Expects that the app token neither sees nor changes a presentation of its own name at `lane-1`.
    private static func expectNothing(of id: String, _ receipt: String, _ reader: ReaderDaemon) async throws {
        for (method, end, body) in [
            ("GET", "", nil), ("DELETE", "", nil), ("GET", "/events", nil),
            ("GET", "/documents/portrait", nil),
            ("POST", "/engagement", #"{"uri": "mdoc:owBjMS4wAYIB2BhBoA"}"#),
        ] as [(String, String, String?)] {
            let reply = try await reader.asApp.call(method, "/v1/presentations/\(id)\(end)", body)
            let isHidden = ["presentationUnknown", "engagementMalformed"].contains(reply.problem)
            #expect(isHidden, "\(method) \(end): \(reply.status) \(reply.text)")
        }
        for query in ["", "?reference=one", "?lane=lane-1"] {
            let list = try await reader.asApp.call("GET", "/v1/presentations\(query)").json()
            let ids = (list["presentations"] as? [[String: Any]])?.compactMap { $0["id"] as? String }
            #expect(ids?.contains(id) == false, "\(query)")
        }
        #expect(try await reader.asApp.call("GET", "/v1/receipts/\(receipt)").problem == "receiptUnknown")
        #expect(try await reader.asApp.call("GET", "/v1/lanes/lane-1").problem == "laneUnknown")
        #expect(try await reader.asApp.call("GET", "/v1/lanes/lane-1/events").problem == "laneUnknown")
        for further in ["", #", "reference": "one", "retention": "receipt""#, #", "reference": "new""#] {
            let ordered = try await reader.asApp.call("POST", "/v1/presentations", order(1, further))
            #expect(ordered.problem == "laneUnknown", "\(further): \(ordered.text)")
        }
    }

    @Test("An app token sees and orders everything at its own lane and nothing at another lane")
    func appToken() async throws {
        let reader = try await ReaderDaemon(lanes: [[], []], members: ["tokens": Self.tokens(nil)])
        var ids: [String] = []
        var receipts: [String] = []
        for (lane, reference) in [(1, "one"), (2, "two")] {
            let ordered = try await reader.asApp.call(
                "POST", "/v1/presentations",
                Self.order(lane, #", "reference": "\#(reference)", "retention": "receipt""#))
            let id = try #require(try ordered.json()["id"] as? String, "\(ordered.text)")
            #expect(try await reader.end(of: id).last == "verified")
            ids.append(id)
            receipts.append(try await reader.receipt(of: id))
        }
        let events = try await reader.asApp.events("/v1/lanes/lane-1/events")
        #expect(try await events.next() != nil)
        try Self.change(reader, tokens: Self.tokens(#"["lane-2"]"#))
        reader.daemon.signal(SIGHUP)
        // The stream of the lane that it lost ends.
        while try await events.next() != nil {}
        let other = try await reader.asOtherApp.call("GET", "/v1/lanes").json()["lanes"] as? [Any]
        #expect(other?.count == 2)
        try await Self.expectNothing(of: ids[0], receipts[0], reader)
        #expect(try await reader.asApp.call("GET", "/v1/presentations/\(ids[1])").status == 200)
        let list = try await reader.asApp.call("GET", "/v1/presentations").json()
        #expect((list["presentations"] as? [[String: Any]])?.map { $0["id"] as? String } == [ids[1]])
        #expect(try await reader.asApp.call("GET", "/v1/receipts/\(receipts[1])").status == 200)
        let lanes = try await reader.asApp.call("GET", "/v1/lanes").json()["lanes"] as? [[String: Any]]
        #expect(lanes?.map { $0["lane"] as? String } == ["lane-2"])
        #expect(try await reader.asApp.events("/v1/lanes/lane-2/events").next() != nil)
        let all = try await reader.asAdmin.call("GET", "/v1/presentations").json()["presentations"]
        #expect((all as? [Any])?.count == 2)
        // The same of what is no longer in memory.
        reader.daemon.signal(SIGTERM)
        _ = try await reader.daemon.ended()
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        try await Self.expectNothing(of: ids[0], receipts[0], reader)
        #expect(try await reader.asApp.call("GET", "/v1/presentations/\(ids[1])").status == 200)
        #expect(try await reader.asApp.call("GET", "/v1/receipts/\(receipts[1])").status == 200)
    }

    @Test(
        "Where there is one lane, which is not the token's, an order that names none is refused and begins nothing"
    )
    func onlyLane() async throws {
        let reader = try await ReaderDaemon(members: ["tokens": Self.tokens(#"["lane-2"]"#)])
        let body = #"{"kind": "display", "intent": "age over 21"}"#
        #expect(try await reader.asApp.call("POST", "/v1/presentations", body).problem == "laneUnknown")
        let all = try await reader.asAdmin.call("GET", "/v1/presentations").json()["presentations"] as? [Any]
        #expect(all?.isEmpty == true)
        #expect(try await reader.asOtherApp.call("POST", "/v1/presentations", body).status == 201)
    }

    @Test(
        "A caller can begin only as many presentations an hour as the file allows, and other callers do not wait"
    )
    func ordersPerHour() async throws {
        let reader = try await ReaderDaemon(
            lanes: [Self.slow, Self.slow], members: ["limits": #"{"ordersPerHour": 3}"#])
        func order(_ client: PlainHTTP, _ lane: Int, _ reference: String) async throws -> PlainHTTP.Reply {
            try await client.call(
                "POST", "/v1/presentations", Self.order(lane, #", "reference": "\#(reference)""#))
        }
        let blocking = try await order(reader.asOtherApp, 2, "blocking")
        #expect(blocking.status == 201)
        for number in 0..<3 {
            // A lane that is busy counts for nothing.
            for _ in 0..<3 {
                #expect(try await order(reader.asApp, 2, "busy-\(number)").problem == "laneBusy")
            }
            let begun = try await order(reader.asApp, 1, "\(number)")
            #expect(begun.status == 201, "\(begun.text)")
            let path = try #require(begun.headers["location"])
            _ = try await reader.asApp.call("DELETE", path)
        }
        let refused = try await order(reader.asApp, 1, "3")
        #expect(refused.status == 429 && refused.problem == "tooManyOrders", "\(refused.text)")
        let seconds = try #require(refused.headers["retry-after"].flatMap { Int($0) })
        #expect((3500...3601).contains(seconds))
        // What it ordered before is its still, and the same order is the same presentation.
        #expect(try await order(reader.asApp, 1, "0").status == 200)
        #expect(try await order(reader.asOtherApp, 1, "0").status == 201)
    }
}
