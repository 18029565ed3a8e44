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
        #expect(try await reader.end(of: id).last == "verified")
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
        let list = try BuiltProgram(
            "countersign", ["receipt", "list", "--json", "--store", reader.folder.path + "/store"])
        try #require(try await list.ended() == 0, "\(list.errors)")
        let json = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let receipts = try #require(json?["receipts"] as? [[String: Any]])
        return receipts.map { ($0["statement"] as? [String: Any])?["decision"] as? String }
    }

    @Test("The receipt is written with the decision and not before", arguments: ["approved", "rejected"])
    func decided(_ decision: String) async throws {
        let reader = try await ReaderDaemon()
        let id = try await ask(reader)
        #expect(try await reader.result(of: id)["receipt"] is NSNull)
        #expect(try await decisions(reader).isEmpty)
        let result = try #require(try await decide(reader, id, decision).json()["result"] as? [String: Any])
        #expect(result["receipt"] as? String == "1" && result["outcome"] as? String == decision)
        #expect(try await decisions(reader) == [decision])
        // Saying it again changes nothing, and the daemon's end writes no other.
        #expect(try await decide(reader, id, decision).status == 200)
        reader.daemon.signal(SIGTERM)
        #expect(try await reader.daemon.ended() == 0)
        #expect(try await decisions(reader) == [decision])
    }

    @Test("Without a decision the receipt says so once the time is over, and nobody decides afterwards")
    func overdue() async throws {
        let reader = try await ReaderDaemon(members: ["limits": #"{"shownSeconds": 5}"#])
        let id = try await ask(reader)
        let events = try await reader.asClerk.events("/v1/presentations/\(id)/events")
        while let event = try await events.next() {
            if event.data["hint"] == "wiped", try await reader.result(of: id)["receipt"] is String { break }
        }
        #expect(try await decisions(reader) == [nil])
        #expect(try await decide(reader, id, "approved").problem == "decisionNotDue")
        #expect(try await reader.result(of: id)["outcome"] is NSNull)
    }

    @Test("The next presentation at the lane ends the wait, and each has its own receipt")
    func next() async throws {
        let reader = try await ReaderDaemon()
        let first = try await ask(reader)
        let second = try await ask(reader)
        #expect(try await decide(reader, first, "approved").problem == "presentationUnknown")
        #expect(try await decide(reader, second, "rejected").status == 200)
        #expect(try await decisions(reader) == [nil, "rejected"])
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
    }
}
