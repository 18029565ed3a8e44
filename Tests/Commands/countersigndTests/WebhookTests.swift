import Deadlines
import Foundation
import HTTPSBench
import OtherPrograms
import Testing

@Suite("Webhooks of countersignd")
struct WebhookTests {
    @Test(
        "The end of a presentation is reported, signed, and again where that failed; without a portrait or data"
    )
    func told() async throws {
        let hook = try HookListener(answering: [500, 204])
        let stage = WebhookStage(port: hook.port)
        let reader = try await ReaderDaemon(members: stage.members())
        let id = try await reader.order(
            stage.order, intent: "age over 21 with portrait for a human to compare")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        // Nothing was sent before the decision: the first call has the outcome.
        for decision in ["approved", "approved", "rejected"] {
            _ = try await reader.asClerk.call(
                "POST", "/v1/presentations/\(id)/decision", #"{"decision": "\#(decision)"}"#)
        }
        let calls = try await hook.taken(2)
        for call in calls {
            let body = try WebhookStage.body(of: call)
            #expect(body["id"] as? String == id && body["state"] as? String == "verified")
            #expect(body["outcome"] as? String == "allow")
            let result = try #require(body["result"] as? [String: Any])
            #expect(result["portrait"] == nil && result["documents"] == nil && result["name"] == nil)
        }
        #expect(calls.allSatisfy { $0.headers["countersign-delivery"] == id })
        // It is counted when the daemon has read that it was taken.
        try await until("the delivery in the metrics") {
            try await reader.asAdmin.call("GET", "/metrics").text
                .contains(#"countersign_webhooks_total{outcome="delivered"} 1"#)
        }
    }

    @Test("Of a data request it is told how it ended, and the documents are fetched by who ordered them")
    func toldOfData() async throws {
        let hook = try HookListener(answering: [204])
        let stage = WebhookStage(port: hook.port)
        let desk = try await RentalDesk(members: stage.members())
        let order = try await desk.order("none", stage.order)
        let id = try #require(order.json()["id"] as? String, "\(order.text)")
        let call = try #require(try await hook.taken(1).first)
        let body = try WebhookStage.body(of: call)
        #expect(body["id"] as? String == id && body["state"] as? String == "verified")
        #expect((body["result"] as? [String: Any])?["documents"] == nil)
        let fetched = try await desk.reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect((fetched["result"] as? [String: Any])?["documents"] is [Any])
        // The next order leaves them to who is still to fetch them.
        #expect(try await desk.order("none").status == 201)
        let later = try await desk.reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect((later["result"] as? [String: Any])?["documents"] is [Any])
    }

    struct End: Sendable, CustomTestStringConvertible {
        /// Nil where nobody answers.
        var wallet: [String]? = []
        var intent = "age over 21"
        var decision: String?
        let state: String
        let outcome: String
        let reason: String

        var testDescription: String { "\(outcome) \(reason)" }

        static let all = [
            End(
                wallet: ["--decision", "declines"], state: "declined", outcome: "declined", reason: "declined"
            ),
            End(
                wallet: ["--consent-time", "60000"], state: "cancelled", outcome: "cancelled",
                reason: "cancelled"),
            End(
                wallet: ["--fault", "issuer_auth.signature_flipped"], state: "rejected", outcome: "deny",
                reason: "issuer_signature"),
            End(wallet: nil, state: "failed", outcome: "failed", reason: "reader.unavailable"),
            End(wallet: ["--age", "20"], state: "verified", outcome: "deny", reason: "answer.no"),
            End(
                wallet: ["--attests", "18"], state: "verified", outcome: "unclear", reason: "answer.unknown"),
            End(
                intent: "age over 21 with portrait for a human to compare", decision: "dismissed",
                state: "verified", outcome: "unclear", reason: "decision.dismissed"),
        ]
    }

    @Test("Of an end that is not allow it is told once, with the outcome and its reason", arguments: End.all)
    func otherEnds(_ end: End) async throws {
        let hook = try HookListener(answering: [204, 204])
        let stage = WebhookStage(port: hook.port)
        let reader = try await ReaderDaemon(lanes: [end.wallet, []], members: stage.members())
        let id = try await reader.order(stage.order + #", "lane": "lane-1""#, intent: end.intent)
        let last = try await reader.end(of: id) { state in
            guard end.outcome == "cancelled", state == "awaitingConsent" else { return }
            _ = try await reader.asApp.call("DELETE", "/v1/presentations/\(id)")
        }.last
        if let decision = end.decision { try await reader.decide(id, decision) }
        #expect(last == (end.decision == nil ? end.state : "awaitingDecision"))
        // Another end follows, so that a second call for the first would be seen.
        let next = try await reader.order(stage.order + #", "lane": "lane-2""#)
        let calls = try await hook.taken(2).map(WebhookStage.body)
        #expect(calls.map { $0["id"] as? String } == [id, next])
        #expect(calls[0]["state"] as? String == end.state && calls[0]["outcome"] as? String == end.outcome)
        let reasons = try #require(calls[0]["reasons"] as? [String])
        #expect(reasons.contains(end.reason), "\(reasons)")
        #expect(calls[1]["outcome"] as? String == "allow" && (calls[1]["reasons"] as? [Any])?.isEmpty == true)
    }

    @Test("An order may name only the webhook origins in the file")
    func elsewhere() async throws {
        let stage = try WebhookStage()
        let reader = try await ReaderDaemon(lanes: [nil], members: stage.members())
        for url in ["https://evil.example/", stage.origin + ".evil.example/", "http://till.example/"] {
            let refused = try await reader.asApp.call(
                "POST", "/v1/presentations",
                #"{"kind": "display", "intent": "age over 21", "webhook": "\#(url)"}"#)
            #expect(refused.problem == "webhookRefused", "\(url)")
        }
    }

    @Test("A status is the answer: a body that never ends holds neither the webhook nor the daemon's end")
    func endlessBody() async throws {
        let server = try await ListServer.start(
            .plain, ["/done": .head(length: 60_000, then: [.sendForever([0], everyMilliseconds: 50)])])
        let stage = WebhookStage(port: UInt16(server.port))
        let reader = try await ReaderDaemon(members: stage.members())
        let id = try await reader.order(stage.order)
        #expect(try await reader.end(of: id).last == "verified")
        try await until("the delivery in the metrics") {
            try await reader.asAdmin.call("GET", "/metrics").text
                .contains(#"countersign_webhooks_total{outcome="delivered"} 1"#)
        }
        #expect(server.requests.map(\.path) == ["/done"])
        await server.stop()
    }
}
