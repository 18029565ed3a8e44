import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("Receipts that wait for a person's decision")
struct DecisionTests {
    private static let order = #", "validation": "confirm", "retention": "receipt""#
    private static let intent = "age over 21 with portrait for a human to compare"

    /// Orders, and waits for the answer.
    private func ask(_ reader: ReaderDaemon) async throws -> String {
        let id = try await reader.order(Self.order, intent: Self.intent)
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        return id
    }

    private func decide(
        _ reader: ReaderDaemon, _ id: String, _ decision: String
    ) async throws -> PlainHTTP.Reply {
        try await reader.asClerk.call(
            "POST", "/v1/presentations/\(id)/decision", #"{"decision": "\#(decision)"}"#)
    }

    /// The decisions of all receipts; nil for one without.
    private func decisions(_ reader: ReaderDaemon) async throws -> [String?] {
        try await statements(reader).map { $0["decision"] as? String }
    }

    /// The outcomes of all receipts.
    private func outcomes(_ reader: ReaderDaemon) async throws -> [String?] {
        try await statements(reader).map { $0["outcome"] as? String }
    }

    private func statements(_ reader: ReaderDaemon) async throws -> [[String: Any]] {
        let list = try BuiltProgram(
            "countersign", ["receipt", "list", "--json", "--store", reader.folder.path + "/store"])
        try #require(try await list.ended() == 0, "\(list.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let receipts = try #require(json?["receipts"] as? [[String: Any]])
        return receipts.compactMap { $0["statement"] as? [String: Any] }
    }

    @Test(
        "Receipt and outcome come with the decision and not before",
        arguments: [("approved", "allow"), ("rejected", "deny"), ("dismissed", "unclear")])
    func decided(_ decision: String, _ outcome: String) async throws {
        let reader = try await ReaderDaemon()
        let id = try await ask(reader)
        #expect(try await reader.result(of: id)["receipt"] is NSNull)
        #expect(try await decisions(reader).isEmpty)
        let path = "/v1/presentations/\(id)"
        #expect(try await reader.asApp.call("GET", path).json()["outcome"] is NSNull)
        let decided = try await decide(reader, id, decision).json()
        let result = try #require(decided["result"] as? [String: Any])
        #expect(result["receipt"] as? String == "1" && result["decision"] as? String == decision)
        #expect(decided["state"] as? String == "verified" && decided["outcome"] as? String == outcome)
        #expect((decided["reasons"] as? [String])?.isEmpty == (outcome == "allow"))
        #expect(try await decisions(reader) == [decision])
        #expect(try await outcomes(reader) == [outcome])
        // Saying it again changes nothing, and the daemon's end writes no other.
        #expect(try await decide(reader, id, decision).status == 200)
        reader.daemon.signal(SIGTERM)
        #expect(try await reader.daemon.ended() == 0)
        #expect(try await decisions(reader) == [decision])
    }

    @Test("Without a decision the receipt says so once the time is over, and nobody decides afterwards")
    func overdue() async throws {
        let reader = try await ReaderDaemon(members: ["limits": #"{"decisionSeconds": 5}"#])
        let id = try await ask(reader)
        let events = try await reader.asClerk.events("/v1/presentations/\(id)/events")
        while let event = try await events.next() {
            if event.data["hint"] == "wiped", try await reader.result(of: id)["receipt"] is String { break }
        }
        #expect(try await decisions(reader) == [nil])
        #expect(try await decide(reader, id, "approved").problem == "decisionNotDue")
        let over = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(over["outcome"] as? String == "unclear")
        #expect(over["reasons"] as? [String] == ["decision.overdue"])
        let result = try #require(over["result"] as? [String: Any])
        #expect(result["decision"] is NSNull)
        let words = try #require(result["reasons"] as? [[String: String]])
        #expect(words.map { $0["id"] } == ["decision.overdue"])
        #expect(words[0]["text"]?.contains("nobody decided") == true)
        #expect(try await outcomes(reader) == ["unclear"])
    }

    @Test("A second order while a decision is open is refused and named; after the decision it is taken")
    func next() async throws {
        let reader = try await ReaderDaemon()
        let first = try await ask(reader)
        let order = #"{"kind": "display", "intent": "\#(Self.intent)"\#(Self.order)}"#
        let refused = try await reader.asApp.call("POST", "/v1/presentations", order)
        #expect(refused.status == 409 && refused.problem == "decisionOpen")
        #expect(refused.text.contains(first) && refused.headers["retry-after"] == "2")
        #expect(try refused.json()["presentation"] as? String == first)
        let portrait = "/v1/presentations/\(first)/portrait"
        #expect(try await reader.asClerk.call("GET", portrait).status == 200)
        #expect(try await decide(reader, first, "approved").status == 200)
        let second = try await ask(reader)
        // The till may end it as well, and only as dismissed.
        let ended = try await reader.asApp.call("DELETE", "/v1/presentations/\(second)").json()
        #expect(ended["outcome"] as? String == "unclear")
        #expect(try await decisions(reader) == ["approved", "dismissed"])
    }

    @Test("A customer under age is denied at once, whoever says the picture fits")
    func underAge() async throws {
        let reader = try await ReaderDaemon(lanes: [["--age", "20"]])
        let id = try await reader.order(Self.order, intent: Self.intent)
        #expect(try await reader.end(of: id).last == "verified")
        let path = "/v1/presentations/\(id)"
        let over = try await reader.asApp.call("GET", path).json()
        #expect(over["outcome"] as? String == "deny" && over["reasons"] as? [String] == ["answer.no"])
        let words = (over["result"] as? [String: Any])?["reasons"] as? [[String: String]]
        #expect(words?.map { $0["id"] } == ["answer.no"])
        #expect(try await decide(reader, id, "approved").problem == "decisionNotDue")
        #expect(try await reader.asClerk.call("GET", path + "/portrait").problem == "portraitGone")
        #expect(try await outcomes(reader) == ["deny"])
    }

    @Test("The daemon's end loses no receipt, be it asked to end or killed", arguments: [SIGTERM, SIGKILL])
    func ended(_ signal: Int32) async throws {
        let reader = try await ReaderDaemon()
        _ = try await ask(reader)
        reader.daemon.signal(signal)
        _ = try await reader.daemon.ended()
        #expect(try await decisions(reader) == (signal == SIGTERM ? [nil] : []))
        let again = try BuiltProgram(
            "countersignd", ["--config", reader.folder.path + "/countersignd.json"])
        try await again.said(" ready")
        #expect(try await decisions(reader) == [nil])
        #expect(try await outcomes(reader) == ["failed"])
    }
}
