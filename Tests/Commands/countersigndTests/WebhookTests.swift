import Deadlines
import Foundation
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import Testing

@Suite("Webhooks of countersignd")
struct WebhookTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func secretFile() throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID())").path
        _ = FileManager.default.createFile(
            atPath: path, contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
        return path
    }

    @Test(
        "The end of a presentation is reported, signed, and again where that failed; without a portrait or data"
    )
    func told() async throws {
        let hook = try HookListener(answering: [500, 204])
        let origin = "http://127.0.0.1:\(hook.port)"
        let reader = try await ReaderDaemon(
            members: ["webhooks": #"{"origins": ["\#(origin)"], "secretFile": "\#(try Self.secretFile())"}"#])
        let id = try await reader.order(
            #", "webhook": "\#(origin)/done""#, intent: "age over 21 with portrait for a human to compare")
        #expect(try await reader.end(of: id).last == "awaitingDecision")
        // Nothing was sent before the decision: the first call has the outcome.
        for decision in ["approved", "approved", "rejected"] {
            _ = try await reader.asClerk.call(
                "POST", "/v1/presentations/\(id)/decision", #"{"decision": "\#(decision)"}"#)
        }
        let calls = try await hook.taken(2)
        for call in calls {
            let timestamp = try #require(call.headers["countersign-timestamp"])
            let key = SecretBytes(copying: Array(Self.secret.utf8)[...])
            let due = try hmacSHA256(key: key, over: [Array("\(timestamp).".utf8)[...], call.body[...]])
            #expect(call.headers["countersign-signature"] == "v1=\(due.hexadecimal)")
            let age = Date().timeIntervalSince1970 - (Double(timestamp) ?? 0)
            #expect(abs(age) < 60)
            let body = try #require(JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any])
            #expect(body["id"] as? String == id && body["state"] as? String == "verified")
            #expect(body["outcome"] as? String == "allow")
            let result = try #require(body["result"] as? [String: Any])
            #expect(result["portrait"] == nil && result["documents"] == nil && result["name"] == nil)
        }
        #expect(calls[0].headers["countersign-delivery"] == calls[1].headers["countersign-delivery"])
        // It is counted when the daemon has read that it was taken.
        try await until("the delivery in the metrics") {
            try await reader.asAdmin.call("GET", "/metrics").text
                .contains(#"countersign_webhooks_total{outcome="delivered"} 1"#)
        }
    }

    @Test("Of a data request it is told how it ended, and the documents are fetched by who ordered them")
    func toldOfData() async throws {
        let hook = try HookListener(answering: [204])
        let origin = "http://127.0.0.1:\(hook.port)"
        let desk = try await RentalDesk(
            members: ["webhooks": #"{"origins": ["\#(origin)"], "secretFile": "\#(try Self.secretFile())"}"#])
        let order = try await desk.order("none", #", "webhook": "\#(origin)/done""#)
        let id = try #require(order.json()["id"] as? String, "\(order.text)")
        let call = try #require(try await hook.taken(1).first)
        let body = try #require(JSONSerialization.jsonObject(with: Data(call.body)) as? [String: Any])
        #expect(body["id"] as? String == id && body["state"] as? String == "verified")
        #expect((body["result"] as? [String: Any])?["documents"] == nil)
        let fetched = try await desk.reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect((fetched["result"] as? [String: Any])?["documents"] is [Any])
        // The next order leaves them to who is still to fetch them.
        #expect(try await desk.order("none").status == 201)
        let later = try await desk.reader.asApp.call("GET", "/v1/presentations/\(id)").json()
        #expect((later["result"] as? [String: Any])?["documents"] is [Any])
    }

    @Test("An order may name no other origin than those in the file")
    func elsewhere() async throws {
        let reader = try await ReaderDaemon(
            lanes: [nil],
            members: [
                "webhooks":
                    #"{"origins": ["https://till.example"], "secretFile": "\#(try Self.secretFile())"}"#
            ])
        for url in ["https://evil.example/", "https://till.example.evil.example/", "http://till.example/"] {
            let refused = try await reader.asApp.call(
                "POST", "/v1/presentations",
                #"{"kind": "display", "intent": "age over 21", "webhook": "\#(url)"}"#)
            #expect(refused.problem == "webhookRefused", "\(url)")
        }
    }
}
