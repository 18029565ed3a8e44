import Foundation
import Glibc
import OtherPrograms
import Testing
import VectorFiles

@Suite("Presentations that a restart does not lose")
struct RestartTests {
    private static func order(_ reference: String, intent: String = "age over 21") -> String {
        #"{"kind": "display", "intent": "\#(intent)", "reference": "\#(reference)", "retention": "receipt"}"#
    }

    private func kill(_ daemon: BuiltProgram) async throws {
        daemon.signal(SIGKILL)
        _ = try await daemon.ended()
    }

    @Test("After a restart, a completed sale has the same id, outcome and receipt under its reference")
    func over() async throws {
        let reader = try await ReaderDaemon()
        let ordered = try await reader.asApp.call("POST", "/v1/presentations", Self.order("sale"))
        let id = try #require(try ordered.json()["id"] as? String)
        #expect(try await reader.end(of: id).last == "verified")
        let before = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        try await kill(reader.daemon)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let same = try await reader.asApp.call("POST", "/v1/presentations", Self.order("sale"))
        #expect(same.status == 200)
        let after = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        for known in [try same.json(), after] {
            for member in [
                "id", "kind", "lane", "reference", "state", "outcome", "created", "ended", "intent",
            ] {
                #expect(known[member] as? String == before[member] as? String, "\(member)")
            }
            #expect(known["outcome"] as? String == "allow")
            // Answers are not among what outlives the daemon.
            #expect(known["result"] == nil)
        }
        #expect(try await reader.asApp.call("GET", "/v1/receipts/1").status == 200)
        let listed = try await reader.asApp.call("GET", "/v1/presentations?reference=sale").json()
        #expect((listed["presentations"] as? [[String: Any]])?.map { $0["id"] as? String } == [id])
        let lane = try #require(before["lane"] as? String)
        for (query, expected) in [
            ("lane=\(lane)&outcome=allow", [id]), ("outcome=deny", []), ("lane=another", []),
        ] {
            let found = try await reader.asApp.call("GET", "/v1/presentations?\(query)").json()
            #expect(
                (found["presentations"] as? [[String: Any]])?.map { $0["id"] as? String } == expected,
                "\(query)")
        }
        let ended = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)").json()
        #expect(ended["outcome"] as? String == "allow")
        let events = try await reader.asApp.call("GET", "/v1/presentations/\(id)/events")
        #expect(events.problem == "presentationOver" && events.text.contains("read its outcome with GET"))
        let other = Self.order("sale", intent: "age over 18")
        #expect(try await reader.asApp.call("POST", "/v1/presentations", other).problem == "referenceTaken")
    }

    @Test(
        "An outcome says that it came from a test document, also after a restart; where test documents are not accepted its allow does not count"
    )
    func test() async throws {
        let reader = try await ReaderDaemon()
        let ordered = try await reader.asApp.call("POST", "/v1/presentations", Self.order("sale"))
        let id = try #require(try ordered.json()["id"] as? String)
        #expect(try ordered.json()["test"] is NSNull)
        #expect(try await reader.end(of: id).last == "verified")
        func again() async throws -> PlainHTTP.Reply {
            try await reader.asApp.call("POST", "/v1/presentations", Self.order("sale"))
        }
        #expect(try await again().json()["test"] as? Bool == true)
        let file = reader.folder.path + "/countersignd.json"
        let accepting = try String(contentsOfFile: file, encoding: .utf8)
        try accepting.replacing(#""acceptTestDocuments": true"#, with: #""acceptTestDocuments": false"#)
            .write(toFile: file, atomically: true, encoding: .utf8)
        reader.daemon.signal(SIGHUP)
        try await reader.daemon.said("read its configuration file again")
        #expect(try await again().problem == "referenceOfTest")
        try await kill(reader.daemon)
        let strict = try await reader.startAgain()
        let refused = try await again()
        #expect(refused.problem == "referenceOfTest" && refused.status == 409)
        #expect(try refused.json()["pointer"] as? String == "/reference")
        let known = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(known["outcome"] as? String == "allow" && known["test"] as? Bool == true)
        try await kill(strict)
        try accepting.write(toFile: file, atomically: true, encoding: .utf8)
        let trial = try await reader.startAgain()
        defer { trial.signal(SIGTERM) }
        let same = try await again().json()
        #expect(same["outcome"] as? String == "allow" && same["test"] as? Bool == true)
    }

    @Test(
        "After a restart, another caller cannot see a sale, and can have its own sale under the same reference"
    )
    func others() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order(#", "reference": "sale", "retention": "receipt""#)
        #expect(try await reader.end(of: id).last == "verified")
        try await kill(reader.daemon)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        for other in [reader.asOtherApp, reader.asScreen, reader.asClerk] {
            #expect(
                try await other.call("GET", "/v1/presentations/\(id)").problem == "presentationUnknown")
        }
        #expect(try await reader.asOtherApp.call("GET", "/v1/receipts/1").problem == "receiptUnknown")
        let own = try await reader.asOtherApp.call("POST", "/v1/presentations", Self.order("sale"))
        #expect(own.status == 201)
        #expect(try own.json()["id"] as? String != id)
    }

    @Test(
        "One that was interrupted is failed, for that reason, and so is its receipt; no document was judged",
        arguments: [SIGKILL, SIGTERM])
    func interrupted(_ signal: Int32) async throws {
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "30000"]])
        let id = try await reader.order(#", "reference": "sale", "retention": "receipt""#)
        _ = try await reader.end(of: id) { state in
            if state == "awaitingConsent" { reader.daemon.signal(signal) }
        }
        _ = try await reader.daemon.ended()
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let over = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(over["state"] as? String == "failed" && over["outcome"] as? String == "failed")
        #expect(over["reasons"] as? [String] == ["restarted"])
        #expect(over["ended"] is String && over["test"] is NSNull)
        let receipt = try await reader.asApp.call("GET", "/v1/receipts/1").json()
        #expect((receipt["statement"] as? [String: Any])?["outcome"] as? String == "failed")
        let same = try await reader.asApp.call("POST", "/v1/presentations", Self.order("sale"))
        #expect(try same.status == 200 && same.json()["id"] as? String == id)
    }

    @Test("What a person decided is known after a restart; where nobody decided, that nobody did")
    func decided() async throws {
        let reader = try await ReaderDaemon()
        let asks = "age over 21 with portrait for a human to compare"
        let (rejected, undecided) = (try await reader.order(intent: asks), "undecided")
        #expect(try await reader.end(of: rejected).last == "awaitingDecision")
        let answered = try await reader.decide(rejected, "rejected")
        #expect((answered["result"] as? [String: Any])?["decision"] as? String == "rejected")
        let listed = try await reader.asAdmin.call("GET", "/v1/presentations").json()
        let known = try #require((listed["presentations"] as? [[String: Any]])?.first)
        #expect(known["decision"] as? String == "rejected" && known["result"] == nil)
        let open = try await reader.order(#", "reference": "\#(undecided)""#, intent: asks)
        #expect(try await reader.end(of: open).last == "awaitingDecision")
        try await kill(reader.daemon)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let check = try await SchemaCheck(reader)
        for (id, decision, outcome) in [(rejected, "rejected", "deny"), (open, nil, "failed")] {
            let reply = try await reader.asApp.call("GET", "/v1/presentations/\(id)")
            let after = try reply.json()
            #expect(after["decision"] as? String == decision && after["outcome"] as? String == outcome)
            #expect(check.faults(of: reply, to: "GET", "/v1/presentations/{id}").isEmpty)
        }
    }

    @Test("The administrator lists what an earlier run left as well, without answers; a till does not")
    func listed() async throws {
        let reader = try await ReaderDaemon()
        let before = try await reader.order()
        #expect(try await reader.end(of: before).last == "verified")
        try await kill(reader.daemon)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let now = try await reader.order()
        #expect(try await reader.end(of: now).last == "verified")
        let reply = try await reader.asAdmin.call("GET", "/v1/presentations")
        let all = try #require(try reply.json()["presentations"] as? [[String: Any]])
        #expect(Set(all.compactMap { $0["id"] as? String }) == [before, now])
        #expect(all.allSatisfy { $0["result"] == nil && $0["outcome"] as? String == "allow" })
        #expect(try await SchemaCheck(reader).faults(of: reply, to: "GET", "/v1/presentations").isEmpty)
        let own = try await reader.asApp.call("GET", "/v1/presentations").json()["presentations"]
        #expect((own as? [Any])?.count == 2)
        let others = try await reader.asOtherApp.call("GET", "/v1/presentations").json()["presentations"]
        #expect((others as? [Any])?.isEmpty == true)
    }

    @Test("A daemon that is killed fifty times at any moment loses no reference and gives none two outcomes")
    func fiftyKills() async throws {
        let reader = try await ReaderDaemon()
        var random = SplitMix64(seed: 18)
        var daemon = reader.daemon
        var outcomes: [String] = []
        for round in 1...50 {
            let order = Self.order("sale-\(round)")
            let ordered = try await reader.asApp.call("POST", "/v1/presentations", order)
            let id = try #require(try ordered.json()["id"] as? String, "\(ordered.text)")
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...250, using: &random)))
            let told = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()["outcome"]
            try await kill(daemon)
            daemon = try await reader.startAgain()
            let after = try await reader.asApp.call("POST", "/v1/presentations", order)
            let known = try after.json()
            #expect(after.status == 200 && known["id"] as? String == id)
            let outcome = try #require(known["outcome"] as? String)
            #expect(["allow", "failed"].contains(outcome))
            if let told = told as? String { #expect(outcome == told) }
            outcomes.append(outcome)
            if outcome == "failed" { #expect(known["reasons"] as? [String] == ["restarted"]) }
        }
        daemon.signal(SIGTERM)
        _ = try await daemon.ended()
        let verified = try BuiltProgram(
            "countersign", ["receipt", "verify", "--store", reader.folder.path + "/store"])
        #expect(try await verified.ended() == 0, "\(verified.output) \(verified.errors)")
        let list = try BuiltProgram(
            "countersign", ["receipt", "list", "--json", "--store", reader.folder.path + "/store"])
        #expect(try await list.ended() == 0)
        let json = try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
        let receipts = try #require(json?["receipts"] as? [[String: Any]])
        #expect(
            receipts.map { ($0["statement"] as? [String: Any])?["outcome"] as? String } == outcomes)
    }
}
