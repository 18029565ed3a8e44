import Foundation
import OtherPrograms
import Testing

@Suite("A check is repeated by one press of the clerk")
struct AskingAgainTests {
    /// An intent whose required element the test licence does not have, so that the outcome is `unclear`.
    private static let lacking = "elements: org.iso.18013.5.1/weight; required org.iso.18013.5.1/weight"

    private static func again(_ id: String, _ reader: ReaderDaemon) async throws -> PlainHTTP.Reply {
        try await reader.asClerk.call("POST", "/v1/presentations/\(id)/again", "{}")
    }

    /// The presentation with an outcome, once it has one.
    private static func ended(_ id: String, _ reader: ReaderDaemon) async throws -> [String: Any] {
        _ = try await reader.end(of: id)
        return try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
    }

    private static func latest(_ reader: ReaderDaemon) async throws -> String? {
        try await reader.asClerk.call("GET", "/v1/lanes/lane-1").json()["presentation"] as? String
    }

    private static func missing(_ presentation: [String: Any]) -> [String] {
        let result = presentation["result"] as? [String: Any]
        return (result?["missing"] as? [[String: String]] ?? []).compactMap { $0["element"] }
    }

    @Test("The clerk can ask again once for a till's order, and the new presentation belongs to the till")
    func once() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order(
            #", "reference": "till-7", "retention": "receipt""#, intent: Self.lacking)
        let first = try await Self.ended(id, reader)
        #expect(first["outcome"] as? String == "unclear")
        #expect(Self.missing(first) == ["org.iso.18013.5.1/weight"])
        for (client, body, problem) in [
            (reader.asApp, "{}", "forbidden"), (reader.asClerk, #"{"intent": "age over 99"}"#, "bodyRefused"),
            (reader.asClerk, nil, "contentTypeRefused"),
        ] {
            let path = "/v1/presentations/\(id)/again"
            #expect(try await client.call("POST", path, body).problem == problem)
        }
        let reply = try await Self.again(id, reader)
        let other = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(reply.status == 201 && other != id)
        let second = try await Self.ended(other, reader)
        #expect(second["reference"] is NSNull)
        for member in ["kind", "intent", "validation", "retention", "lane"] {
            #expect(first[member] as? String == second[member] as? String, "\(member)")
        }
        let refused = try await Self.again(id, reader)
        #expect(refused.status == 409 && refused.problem == "askedAgain", "\(refused.text)")
        #expect(refused.text.contains("each presentation can be asked again only once"))
        #expect(try await Self.latest(reader) == other)
        #expect(try await Self.again(other, reader).status == 201, "each presentation is asked again once")
    }

    @Test(
        "The clerk cannot ask again if the checks alone decided, unless an element is missing",
        arguments: [
            (["--age", "40"], "allow"), (["--age", "20"], "deny"), (["--fault", "mso.expired"], "deny"),
        ])
    func complete(_ wallet: [String], _ outcome: String) async throws {
        let reader = try await ReaderDaemon(lanes: [wallet])
        let id = try await reader.order()
        #expect(try await Self.ended(id, reader)["outcome"] as? String == outcome)
        for _ in 0..<2 {
            let refused = try await Self.again(id, reader)
            #expect(refused.status == 409 && refused.problem == "nothingToAskAgain", "\(refused.text)")
        }
        #expect(try await Self.latest(reader) == id)
    }

    @Test("A holder who declined is asked again once, by a new check that names the first")
    func declined() async throws {
        let reader = try await ReaderDaemon(lanes: [["--decision", "declines"]])
        let id = try await reader.order(#", "retention": "receipt""#)
        let first = try await Self.ended(id, reader)
        #expect(first["outcome"] as? String == "declined" && first["repeats"] is NSNull)
        let reply = try await Self.again(id, reader)
        let other = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(try reply.json()["repeats"] as? String == id)
        _ = try await Self.ended(other, reader)
        let listed = try await reader.asAdmin.call("GET", "/v1/receipts").json()
        let receipts = listed["receipts"] as? [[String: Any]]
        let named = (receipts ?? []).map { ($0["statement"] as? [String: Any])?["repeats"] as? String }
        #expect(named == [nil, receipts?.first?["id"] as? String])
        #expect(try await Self.again(id, reader).problem == "askedAgain")
    }

    @Test("What still runs or waits for a decision is not asked again, and what was decided is")
    func tooEarly() async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "1500"]])
        let id = try await reader.order(intent: "age over 21 with portrait for a human to compare")
        #expect(try await Self.again(id, reader).problem == "laneBusy")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        #expect(try await Self.again(id, reader).problem == "decisionOpen")
        _ = try await reader.decide(id)
        let reply = try await Self.again(id, reader)
        #expect(try reply.json()["repeats"] as? String == id, "\(reply.text)")
        #expect(try await Self.latest(reader) != id)
    }

    @Test("A data order can be asked again without its consent; an order that retains data by consent cannot")
    func consent() async throws {
        let desk = try await RentalDesk()
        for (retention, isRepeated) in [("days(2)", true), ("consented(2)", false)] {
            let order = try await desk.order(retention, #", "consent": "given""#, intent: Self.lacking)
            try #require(order.status == 201, "\(order.text)")
            let id = try #require(try order.json()["id"] as? String)
            #expect(try await Self.ended(id, desk.reader)["outcome"] as? String == "unclear")
            let reply = try await Self.again(id, desk.reader)
            guard isRepeated else {
                #expect(reply.status == 409 && reply.problem == "retentionRefused", "\(reply.text)")
                #expect(try await Self.latest(desk.reader) == id)
                continue
            }
            let other = try #require(try reply.json()["id"] as? String, "\(reply.text)")
            #expect(try await Self.ended(other, desk.reader)["outcome"] as? String == "unclear")
            #expect(try await Self.again(id, desk.reader).problem == "askedAgain")
        }
        #expect(try await desk.retained().isEmpty)
    }

    @Test("Asking again counts as an order of the clerk, and is refused like one")
    func limit() async throws {
        let reader = try await ReaderDaemon(members: ["limits": #"{"ordersPerHour": 1}"#])
        let id = try await reader.order(intent: Self.lacking)
        _ = try await reader.end(of: id)
        let reply = try await Self.again(id, reader)
        let other = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        _ = try await reader.end(of: other)
        let refused = try await Self.again(other, reader)
        #expect(refused.status == 429 && refused.problem == "tooManyOrders", "\(refused.text)")
        #expect(try await Self.latest(reader) == other)
    }
}
