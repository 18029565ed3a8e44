import Foundation
import OtherPrograms
import Testing

@Suite("Answers are those that the OpenAPI document promises")
struct ContractTests {
    @Test("From the order to the decision, and every refusal on the way")
    func answers() async throws {
        let reader = try await ReaderDaemon()
        let check = try await SchemaCheck(reader)
        let order =
            #"{"kind": "display", "intent": "age over 21 with portrait for a human to compare", "reference": "r"}"#
        let ordered = try await reader.asApp.call("POST", "/v1/presentations", order)
        let id = try #require(try ordered.json()["id"] as? String)
        #expect(check.faults(of: ordered, to: "POST", "/v1/presentations").isEmpty)
        _ = try await reader.end(of: id)
        let again = try await reader.asApp.call("POST", "/v1/presentations", order)
        #expect(check.faults(of: again, to: "POST", "/v1/presentations").isEmpty)
        let one = "/v1/presentations/{id}"
        for (client, method, path, place, body) in [
            (reader.asApp, "GET", "/v1/presentations/\(id)", one, nil),
            (reader.asClerk, "GET", "/v1/presentations/\(id)", one, nil),
            (reader.asScreen, "GET", "/v1/presentations/\(id)", one, nil),
            (reader.asAdmin, "GET", "/v1/presentations/\(id)", one, nil),
            (reader.asAdmin, "GET", "/v1/presentations", "/v1/presentations", nil),
            (reader.asClerk, "GET", "/v1/presentations/\(id)/portrait", one + "/portrait", nil),
            (
                reader.asClerk, "POST", "/v1/presentations/\(id)/decision", one + "/decision",
                #"{"decision": "approved"}"#
            ),
            (reader.asClerk, "GET", "/v1/presentations/\(id)/portrait", one + "/portrait", nil),
            (
                reader.asApp, "POST", "/v1/presentations/\(id)/engagement", one + "/engagement",
                #"{"uri": "mdoc:x"}"#
            ),
            (reader.asApp, "DELETE", "/v1/presentations/\(id)", one, nil),
            (reader.asApp, "GET", "/v1/presentations/nobody", one, nil),
            (reader.asApp, "GET", "/v1/lanes", "/v1/lanes", nil),
            (reader.asApp, "GET", "/v1/lanes/lane-1", "/v1/lanes/{lane}", nil),
            (reader.asApp, "GET", "/v1/lanes/lane-9", "/v1/lanes/{lane}", nil),
            (reader.asApp, "GET", "/v1/trust", "/v1/trust", nil),
            (reader.asNobody, "GET", "/v1/trust", "/v1/trust", nil),
            (reader.asNobody, "GET", "/healthz", "/healthz", nil),
            (reader.asNobody, "GET", "/readyz", "/readyz", nil),
            (reader.asAdmin, "GET", "/metrics", "/metrics", nil),
            (reader.asNobody, "GET", "/v1/openapi.json", "/v1/openapi.json", nil),
        ] as [(PlainHTTP, String, String, String, String?)] {
            let reply = try await client.call(method, path, body)
            #expect(check.faults(of: reply, to: method, place).isEmpty, "\(method) \(path): \(reply.text)")
        }
    }

    @Test("Events are as the document says, each comes once, and who ordered gets the result in the last")
    func events() async throws {
        let reader = try await ReaderDaemon()
        let check = try await SchemaCheck(reader)
        let events = try await reader.asClerk.events("/v1/lanes/lane-1/events")
        var kinds = [try #require(try await events.next())]
        let id = try await reader.order(intent: "age over 21 with portrait for a human to compare")
        let own = try await reader.asApp.events("/v1/presentations/\(id)/events")
        while kinds.last?.kind != "ended", let event = try await events.next() {
            kinds.append(event)
            if event.kind == "awaitingDecision" { try await reader.decide(id) }
        }
        let steps = kinds.map(\.kind).filter { $0 != "hintChanged" }
        #expect(
            steps == [
                "laneChanged", "armed", "engaged", "awaitingConsent", "receiving", "awaitingDecision",
                "ended",
            ])
        #expect(kinds.last?.data["outcome"] == "allow" && kinds.last?.json["result"] == nil)
        for event in kinds { #expect(check.faults(of: event).isEmpty, "\(event)") }
        var last: PlainHTTP.EventReader.Event?
        while last?.kind != "ended", let event = try await own.next() { last = event }
        let late = try await reader.asApp.events("/v1/presentations/\(id)/events").next()
        for event in [try #require(last), try #require(late)] {
            #expect(event.kind == "ended" && check.faults(of: event).isEmpty, "\(event)")
            let result = try #require(event.json["result"] as? [String: Any])
            #expect(result["decision"] as? String == "approved" && result["portrait"] == nil)
            #expect((event.json["reasons"] as? [String]) == [] && event.json["then"] is NSNull)
        }
    }

    @Test(
        "An event with a member too many, one too few, a wrong word or another name is found",
        arguments: [
            ("laneChanged", #"{"lane": "x", "at": "2026-11-21T12:00:00Z", "state": "ready"}"#),
            ("orderRefused", #"{"lane": "x"}"#),
            (
                "armed",
                #"{"presentation": "p", "lane": "x", "state": "asleep", "at": "2026-11-21T12:00:00Z"}"#
            ),
            (
                "ended",
                #"{"presentation": "p", "lane": "x", "state": "failed", "at": "2026-11-21T12:00:00Z"}"#
            ),
            ("news", "{}"),
        ])
    func wrongEvents(_ kind: String, _ text: String) async throws {
        let check = try await SchemaCheck(ReaderDaemon(lanes: [nil]))
        #expect(!check.faults(of: PlainHTTP.EventReader.Event(id: "", kind: kind, text: text)).isEmpty)
    }

    @Test("The check itself finds a member too many, one too few and a wrong word")
    func twin() async throws {
        let reader = try await ReaderDaemon(lanes: [nil])
        let check = try await SchemaCheck(reader)
        for body in [#"{"status": "ok", "more": 1}"#, "{}", #"{"status": "fine"}"#, #"{"status": 1}"#, "[]"] {
            let text = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(body)"
            let reply = try PlainHTTP.Reply(Array(text.utf8))
            #expect(!check.faults(of: reply, to: "GET", "/healthz").isEmpty, "\(body)")
        }
    }

    @Test("The metrics contain outcomes, phases and lanes, and no personal data")
    func figures() async throws {
        let reader = try await ReaderDaemon()
        let id = try await reader.order(
            #", "reference": "private-4711""#, intent: "age over 21, portrait for a human to compare")
        _ = try await reader.end(of: id)
        let undecided = try await reader.asAdmin.call("GET", "/metrics").text
        #expect(!undecided.contains("countersign_presentations_total{"))
        _ = try await reader.asClerk.call(
            "POST", "/v1/presentations/\(id)/decision", #"{"decision": "approved"}"#)
        let text = try await reader.asAdmin.call("GET", "/metrics").text
        #expect(
            text.contains(
                #"countersign_presentations_total{lane="lane-1",kind="display",outcome="allow",reason="none"} 1"#
            ))
        for phase in ["engagement", "request", "consent", "verification"] {
            #expect(
                text.contains(#"countersign_phase_seconds_count{lane="lane-1",phase="\#(phase)"} 1"#),
                "\(phase)")
        }
        #expect(text.contains("# TYPE countersign_trust_age_seconds gauge"))
        #expect(!text.contains("\ncountersign_trust_age_seconds"), "roots have no age")
        #expect(text.contains(#"countersign_lane_ready{lane="lane-1",state="ready"} 1"#))
        #expect(!text.contains("private-4711") && !text.contains(id))
    }
}
