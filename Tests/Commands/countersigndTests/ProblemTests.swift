import Foundation
import OtherPrograms
import Testing

@Suite("Refusals are problem details (RFC 9457)")
struct ProblemTests {
    static let bodies: [(body: String, id: String, pointer: String?)] = [
        (#"{"kind": "loan", "intent": "age over 21"}"#, "bodyRefused", "/kind"),
        (#"{"kind": "display"}"#, "bodyRefused", "/intent"),
        (#"{"kind": "display", "intent": "age over 21", "a/b~c": 1}"#, "bodyRefused", "/a~1b~0c"),
        (#"{"kind": "data", "intent": "x", "then": {"intent": 1}}"#, "intentRefused", "/intent"),
        (
            #"{"kind": "display", "intent": "age over 21", "then": {"intent": 1}}"#, "bodyRefused",
            "/then/intent"
        ),
        (
            #"{"kind": "display", "intent": "age over 21", "then": {"intent": "x"}}"#, "intentRefused",
            "/then/intent"
        ),
        (#"{"kind": "display", "intent": "shoe size"}"#, "intentRefused", "/intent"),
        (#"{"kind": "display", "intent": "age over 21", "lane": "lane-9"}"#, "laneUnknown", "/lane"),
        (#"{"kind": "data", "intent": "rental: name"}"#, "readerTokenRequired", "/readerToken"),
        (
            #"{"kind": "display", "intent": "age over 21", "retention": "days(1)"}"#, "retentionRefused",
            "/retention"
        ),
        (
            #"{"kind": "display", "intent": "age over 21", "webhook": "http://x"}"#, "webhookRefused",
            "/webhook"
        ),
        ("[]", "bodyRefused", nil), ("{", "bodyRefused", nil),
    ]

    @Test("The member at fault is pointed to, and nothing where there is none")
    func pointers() async throws {
        let reader = try await ReaderDaemon()
        for row in Self.bodies {
            let reply = try await reader.asApp.call("POST", "/v1/presentations", row.body)
            #expect(reply.problem == row.id, "\(row.body): \(reply.text)")
            #expect(try reply.json()["pointer"] as? String == row.pointer, "\(row.body): \(reply.text)")
        }
    }

    @Test("Of a member that is not known the order says which are permitted, of any other fault it does not")
    func permitted() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let unknown = try await reader.asApp.call(
            "POST", "/v1/presentations", #"{"kind": "display", "intent": "age over 21", "ref": "1"}"#)
        let detail = try #require(try unknown.json()["detail"] as? String)
        #expect(detail.contains(#"the member "ref" is not known; permitted are consent, holder, identity"#))
        #expect(try unknown.json()["pointer"] as? String == "/ref")
        let missing = try await reader.asApp.call("POST", "/v1/presentations", #"{"kind": "display"}"#)
        #expect(missing.problem == "bodyRefused" && !missing.text.contains("permitted"), "\(missing.text)")
    }

    @Test("Type, id, title, status and detail belong together, and the old error object is not there")
    func members() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let check = try await SchemaCheck(reader)
        for (client, path, place, id, title) in [
            (reader.asNobody, "/v1/trust", "/v1/trust", "unauthorized", "Unauthorized"),
            (reader.asApp, "/v1/lanes/x", "/v1/lanes/{lane}", "laneUnknown", "Lane unknown"),
            (
                reader.asApp, "/v1/presentations/x", "/v1/presentations/{id}", "presentationUnknown",
                "Presentation unknown"
            ),
        ] {
            let reply = try await client.call("GET", path)
            #expect(check.faults(of: reply, to: "GET", place).isEmpty, "\(reply.text)")
            let problem = try reply.json()
            #expect(problem["type"] as? String == "urn:countersign:problem:\(id)")
            #expect(problem["id"] as? String == id && problem["title"] as? String == title)
            #expect(problem["status"] as? Int == reply.status && problem["error"] == nil)
            #expect(reply.headers["content-type"] == "application/problem+json")
        }
    }
}
