import Foundation
import OtherPrograms
import PresentationService
import Testing

@testable import ReaderAPI

@Suite("The routes of accessories")
struct AccessoryRouteTests {
    private static let engagement = "/v1/lanes/one/engagement"

    @Test("A stream begins with the accessories and the lanes of its caller, and has no id to go back to")
    func stream() async throws {
        let counter = try await AccessoryCounter()
        let all = try await counter.open(.accessories, until: #"{"lane":"two""#)
        #expect(all.text.hasPrefix("HTTP/1.1 200 ") && all.text.lowercased().contains("text/event-stream"))
        #expect(all.text.contains(#"{"accessories":[{"name":"qr-1"},{"name":"lock"}],"#))
        // Nobody has reported the accessories of the lane yet.
        let lane = #"{"lane":"one","state":"idle","takesCode":false,"paused":false,"problem":true}"#
        #expect(all.text.contains(lane))
        #expect(!all.text.contains("\nid: "))
        let other = try await counter.open(.other, until: #"{"lane":"two""#)
        #expect(other.text.contains(#"{"accessories":[],"#) && !other.text.contains(#"{"lane":"one""#))
        for client in [AccessoryCounter.Client.app, .clerk, .admin] {
            let reply = try await counter[client].call("GET", "/v1/accessories/events")
            #expect(reply.problem == "forbidden", "\(client)")
        }
        await counter.end()
    }

    @Test(
        "A code is refused by name, and what the scanner does not pass on is accepted",
        arguments: [
            (#"{"accessory":"qr-1","uri":"mdoc:AAAA"}"#, 400, "engagementMalformed"),
            (#"{"accessory":"qr-1","fault":"foreignCode"}"#, 202, nil),
            (#"{"accessory":"qr-1","fault":"other"}"#, 400, "bodyRefused"),
            (#"{"accessory":"qr-1","fault":"foreignCode","uri":"mdoc:AAAA"}"#, 400, "bodyRefused"),
            (#"{"accessory":"qr-1"}"#, 400, "bodyRefused"), (#"{"uri":"mdoc:AAAA"}"#, 400, "bodyRefused"),
            (#"{"accessory":"lock","uri":"mdoc:AAAA"}"#, 404, "accessoryUnknown"),
        ] as [(String, Int, String?)])
    func engagement(_ body: String, _ status: Int, _ problem: String?) async throws {
        let counter = try await AccessoryCounter()
        let reply = try await counter[.accessories].call("POST", Self.engagement, body)
        #expect(reply.status == status && reply.problem == problem, "\(reply.text)")
        if status == 202 { #expect(reply.text == "{\"lane\":\"one\",\"state\":\"idle\"}\n") }
        #expect(try await counter[.other].call("POST", Self.engagement, body).status >= 400)
        await counter.end()
    }

    @Test("The text of a code is in no answer, and the fourth malformed one has to wait")
    func rate() async throws {
        let counter = try await AccessoryCounter()
        for text in ["mdoc:4711", "mdoc:4712", "https://shop.example/4713"] {
            let body = #"{"accessory":"qr-1","uri":"\#(text)"}"#
            let reply = try await counter[.accessories].call("POST", Self.engagement, body)
            #expect(reply.problem == "engagementMalformed" && !reply.text.contains("471"))
        }
        let body = #"{"accessory":"qr-1","uri":"mdoc:4714"}"#
        let reply = try await counter[.accessories].call("POST", Self.engagement, body)
        #expect(reply.status == 429 && reply.problem == "tooManyEngagements")
        let wait = try #require(reply.headers["retry-after"].flatMap { Int($0) })
        #expect((10...61).contains(wait))
        await counter.end()
    }

    @Test(
        "An output that is not due is refused, whatever its number looks like",
        arguments: [
            ("lock", "1", "given", 409, "outputNotDue"), ("lock", "x", "done", 409, "outputNotDue"),
            ("lock", "-1", "refused", 409, "outputNotDue"), ("gate", "1", "given", 404, "accessoryUnknown"),
            ("lock", "1", "due", 400, "bodyRefused"),
        ])
    func outputs(
        _ accessory: String, _ output: String, _ state: String, _ status: Int, _ problem: String
    ) async throws {
        let counter = try await AccessoryCounter()
        let stream = try await counter.open(.accessories, until: "event: lane").stream
        let path = "/v1/accessories/\(accessory)/outputs/\(output)"
        let body = #"{"state":"\#(state)"}"#
        let reply = try await counter[.accessories].call("POST", path, body)
        #expect(reply.status == status && reply.problem == problem, "\(reply.text)")
        // An accessory of another lane is not there for this caller.
        let other = try await counter[.other].call("POST", path, body)
        #expect(other.problem == (problem == "bodyRefused" ? problem : "accessoryUnknown"))
        withExtendedLifetime(stream) {}
        await counter.end()
    }

    @Test(
        "A state counts while the stream is open, and stands in the lane, the owner's page, readiness and metrics"
    )
    func states() async throws {
        let counter = try await AccessoryCounter()
        let path = "/v1/accessories/lock/state"
        func put(_ state: String) async throws -> PlainHTTP.Reply {
            try await counter[.accessories].call("PUT", path, #"{"state":"\#(state)"}"#)
        }
        #expect(try await put("ready").problem == "accessoryNotConnected")
        let stream = try await counter.open(.accessories, until: "event: lane").stream
        #expect(try await put("asleep").problem == "bodyRefused")
        let faults = try await counter[.admin].call("GET", "/readyz").text
        #expect(faults.contains("accessoryNotReady"))
        let reply = try await put("ready")
        #expect(reply.status == 204 && reply.body.isEmpty)
        let lane = try await counter[.clerk].call("GET", "/v1/lanes/one").json()
        let accessories = try #require(lane["accessories"] as? [[String: Any]])
        #expect(accessories.map { $0["trial"] as? Bool } == [false, false])
        #expect(
            accessories.map { $0.compactMapValues { $0 as? String } } == [
                ["name": "qr-1", "kind": "hidPos", "role": "in", "state": "notAnswering"],
                ["name": "lock", "kind": "relay", "role": "out", "state": "ready"],
            ])
        #expect(try await counter[.clerk].call("GET", "/v1/lanes/two").text.contains(#""accessories":[]"#))
        let overview = try await counter[.admin].call("GET", "/v1/owner").json()
        let all = try #require(overview["accessories"] as? [[String: Any]])
        #expect(all.compactMap { $0["lane"] as? String } == ["one", "one"])
        let metrics = try await counter[.admin].call("GET", "/metrics").text
        let labels = #"accessory="lock",lane="one",kind="relay",state="#
        #expect(metrics.contains("countersign_accessory_state{\(labels)\"ready\"} 1\n"))
        #expect(metrics.contains("countersign_accessory_state{\(labels)\"absent\"} 0\n"))
        #expect(!(try await counter[.admin].call("GET", "/readyz").text).contains("accessoryNotReady"))
        withExtendedLifetime(stream) {}
        await counter.end()
    }

    @Test("No token tries an accessory, whatever its scope is")
    func tries() async throws {
        let counter = try await AccessoryCounter()
        let events = try await counter.open(.accessories, until: "event: lane").stream
        _ = try await counter[.accessories].call("PUT", "/v1/accessories/lock/state", #"{"state":"ready"}"#)
        for client in [AccessoryCounter.Client.accessories, .other, .app, .clerk] {
            let reply = try await counter[client].call("POST", "/v1/accessories/lock/tries")
            #expect(reply.status == 403 && reply.problem == "forbidden", "\(client)")
        }
        let admin = try await counter[.admin].call("POST", "/v1/accessories/lock/tries")
        #expect(admin.status == 403 && admin.problem == "tryRefused")
        #expect(admin.text.contains("countersign accessory try"))
        withExtendedLifetime(events) {}
        await counter.end()
    }

    @Test(
        "A step of a try that nobody began is refused, and so is a body that is none",
        arguments: [
            ("lock", "1", #"{"state":"given"}"#, 409, "tryNotDue"),
            ("lock", "x", #"{"state":"pulsed"}"#, 409, "tryNotDue"),
            ("lock", "-1", #"{"state":"refused"}"#, 409, "tryNotDue"),
            ("qr-1", "1", #"{"state":"phoneCode","characters":243}"#, 409, "tryNotDue"),
            ("qr-1", "1", #"{"state":"otherCode"}"#, 409, "tryNotDue"),
            ("gate", "1", #"{"state":"given"}"#, 404, "accessoryUnknown"),
            ("qr-1", "1", #"{"state":"phoneCode"}"#, 400, "bodyRefused"),
            ("qr-1", "1", #"{"state":"phoneCode","characters":8193}"#, 400, "bodyRefused"),
            ("qr-1", "1", #"{"state":"noCode","characters":1}"#, 400, "bodyRefused"),
            ("lock", "1", #"{"state":"given","characters":1}"#, 400, "bodyRefused"),
            ("qr-1", "1", #"{"state":"phoneCode","uri":"mdoc:AAAA"}"#, 400, "bodyRefused"),
            ("lock", "1", #"{"state":"done"}"#, 400, "bodyRefused"),
        ])
    func trySteps(
        _ accessory: String, _ number: String, _ body: String, _ status: Int, _ problem: String
    ) async throws {
        let counter = try await AccessoryCounter()
        let stream = try await counter.open(.accessories, until: "event: lane").stream
        let path = "/v1/accessories/\(accessory)/tries/\(number)"
        let reply = try await counter[.accessories].call("POST", path, body)
        #expect(reply.status == status && reply.problem == problem, "\(reply.text)")
        for client in [AccessoryCounter.Client.app, .clerk, .admin] {
            #expect(try await counter[client].call("POST", path, body).problem == "forbidden", "\(client)")
        }
        withExtendedLifetime(stream) {}
        await counter.end()
    }

    @Test("A program of accessories starts a preset of its lanes, and sees nothing of any presentation")
    func presets() async throws {
        let counter = try await AccessoryCounter()
        let body = #"{"preset":"Age 21"}"#
        let reply = try await counter[.accessories].call("POST", "/v1/lanes/one/presentations", body)
        #expect(reply.status == 201)
        let id = try #require(try reply.json()["id"] as? String)
        for (method, path) in [
            ("GET", "/v1/presentations/\(id)"), ("DELETE", "/v1/presentations/\(id)"),
            ("GET", "/v1/presentations/\(id)/events"), ("GET", "/v1/presentations/\(id)/portrait"),
            ("POST", "/v1/presentations/\(id)/decision"), ("POST", "/v1/presentations/\(id)/again"),
            ("GET", "/v1/presentations"), ("GET", "/v1/receipts"), ("GET", "/v1/receipts/1"),
            ("GET", "/v1/receipt-chain"), ("GET", "/v1/owner"), ("GET", "/v1/lanes"),
            ("GET", "/v1/lanes/one"), ("GET", "/v1/lanes/one/events"), ("GET", "/v1/trust"),
        ] {
            let refused = try await counter[.accessories].call(method, path)
            #expect(refused.problem == "forbidden", "\(method) \(path)")
        }
        #expect(
            try await counter[.other].call("POST", "/v1/lanes/one/presentations", body).problem
                == "laneUnknown")
        await counter.end()
    }
}
