import Deadlines
import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("Webhooks that a restart does not lose")
struct WebhookRestartTests {
    private func kill(_ daemon: BuiltProgram) async throws {
        daemon.signal(SIGKILL)
        _ = try await daemon.ended()
    }

    /// Waits until this stands among the figures.
    private func figure(_ text: String, of reader: ReaderDaemon) async throws {
        try await until("\(text) in the metrics") {
            try await reader.asAdmin.call("GET", "/metrics").text.contains(text)
        }
    }

    @Test(
        "If the daemon is killed before a result was delivered, the webhook delivers it once after the restart"
    )
    func killed() async throws {
        let stage = try WebhookStage()
        let reader = try await ReaderDaemon(members: stage.members())
        let id = try await reader.order(
            stage.order + #", "reference": "sale""#,
            intent: "age over 21 with portrait for a human to compare")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        try await reader.decide(id, "approved")
        try await kill(reader.daemon)
        let hook = try HookListener(answering: [500, 204, 204], at: stage.port)
        let again = try await reader.startAgain()
        let calls = try await hook.taken(2)
        for call in calls {
            let body = try WebhookStage.body(of: call)
            #expect(call.headers["countersign-delivery"] == id)
            #expect(body["id"] as? String == id && body["reference"] as? String == "sale")
            #expect(body["outcome"] as? String == "allow" && body["decision"] as? String == "approved")
            // Answers are not among what outlives the daemon.
            #expect(body["result"] == nil && body["ended"] is String)
        }
        try await figure(#"countersign_webhooks_total{outcome="delivered"} 1"#, of: reader)
        try await kill(again)
        // The twin: it was delivered, so the next start sends that of the next order alone.
        let third = try await reader.startAgain()
        defer { third.signal(SIGTERM) }
        let next = try await reader.order(stage.order)
        let last = try #require(try await hook.taken(3).last)
        #expect(try WebhookStage.body(of: last)["id"] as? String == next)
    }

    @Test("The webhook reports a presentation that a restart interrupted as interrupted")
    func interrupted() async throws {
        let stage = try WebhookStage()
        let reader = try await ReaderDaemon(lanes: [["--consent-time", "30000"]], members: stage.members())
        let id = try await reader.order(stage.order)
        // Of one without a webhook nobody is told.
        _ = try await reader.end(of: id) { state in
            if state == "awaitingConsent" { reader.daemon.signal(SIGKILL) }
        }
        _ = try await reader.daemon.ended()
        let hook = try HookListener(answering: [204], at: stage.port)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let body = try WebhookStage.body(of: try #require(try await hook.taken(1).first))
        #expect(body["id"] as? String == id && body["state"] as? String == "failed")
        #expect(body["outcome"] as? String == "failed" && body["reasons"] as? [String] == ["restarted"])
        let known = try await reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect(known["ended"] as? String == body["ended"] as? String)
        try await figure(#"countersign_webhooks_total{outcome="delivered"} 1"#, of: reader)
    }

    @Test(
        "One that waits when the daemon is asked to end follows after the next start; where its origin is no longer allowed it is dropped"
    )
    func asked() async throws {
        let stage = try WebhookStage()
        let reader = try await ReaderDaemon(members: stage.members())
        let id = try await reader.order(stage.order)
        #expect(try await reader.end(of: id).last == "verified")
        reader.daemon.signal(SIGTERM)
        #expect(try await reader.daemon.ended() == 0)
        #expect(reader.daemon.errors.contains("a webhook waits until the daemon starts again"))
        let file = reader.folder.appending(path: "countersignd.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing(stage.origin, with: "https://till.example").utf8).write(to: file)
        let elsewhere = try await reader.startAgain()
        try await figure(#"countersign_webhooks_total{outcome="dropped"} 1"#, of: reader)
        elsewhere.signal(SIGTERM)
        _ = try await elsewhere.ended()
        try Data(text.utf8).write(to: file)
        let hook = try HookListener(answering: [204], at: stage.port)
        let again = try await reader.startAgain()
        defer { again.signal(SIGTERM) }
        let next = try await reader.order(stage.order)
        let body = try WebhookStage.body(of: try #require(try await hook.taken(1).first))
        #expect(body["id"] as? String == next)
    }
}
