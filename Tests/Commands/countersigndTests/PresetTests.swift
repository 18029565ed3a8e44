import Foundation
import OtherPrograms
import PresentationService
import ReaderAPI
import Testing

@testable import countersignd

@Suite("Presets of the configuration")
struct PresetTests {
    /// The SHA-256 of `button-token-of-the-tests`, by sha256sum.
    private static let digest = "fba629f0b125ff21d541d95e3f07862c4201aa55b6ff22be10798a4b41f0a8c7"
    private static let presets =
        #"[{"name": "Age 18", "intent": "age over 18"}, {"name": "Age 21", "intent": "age over 21 with portrait for a human to compare"}]"#

    private static func daemon(lanes: String = "") async throws -> (ReaderDaemon, PlainHTTP) {
        let daemon = try await ReaderDaemon(
            lanes: [[], []],
            members: [
                "presets": presets,
                "tokens": #"""
                [{"name": "app", "scopes": ["app"],
                  "sha256": "087d685b238eeaf155d9d90b40642466559a5df63c6d4e79501de9fe0f9faf53"},
                 {"name": "clerk", "scopes": ["clerk"],
                  "sha256": "405c71dfae8b1bcff0bd1226dc40bac7241ac92bd1dab86bf5b703af99a9894b"},
                 {"name": "button", "scopes": ["order"], "lanes": ["lane-1"], "sha256": "\#(digest)"}]
                """#,
            ])
        return (daemon, PlainHTTP(.tcp(port: daemon.port), token: "button-token-of-the-tests"))
    }

    @Test("A button starts a preset, and sees its outcome without answers")
    func button() async throws {
        let (daemon, button) = try await Self.daemon()
        let lane = try await button.call("GET", "/v1/lanes/lane-1").json()
        #expect(lane["presets"] as? [String] == ["Age 18", "Age 21"] && lane["standing"] is NSNull)
        let reply = try await button.call(
            "POST", "/v1/lanes/lane-1/presentations", #"{"preset": "Age 18", "reference": "one"}"#)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(reply.status == 201)
        #expect(try await daemon.end(of: id, as: button).last == "verified")
        let seen = try await button.call("GET", "/v1/presentations/\(id)")
        #expect(try seen.json()["outcome"] as? String == "allow")
        #expect(try seen.json()["result"] == nil && !seen.text.contains("answer"))
        let again = try await button.call(
            "POST", "/v1/lanes/lane-1/presentations", #"{"preset": "Age 18", "reference": "one"}"#)
        #expect(try again.status == 200 && again.json()["id"] as? String == id)
        #expect(try again.json()["result"] == nil)
        #expect(
            try await daemon.asApp.call("GET", "/v1/presentations/\(id)").problem == "presentationUnknown")
        daemon.daemon.signal(SIGKILL)
        _ = try await daemon.daemon.ended()
        let restarted = try await daemon.startAgain()
        defer { restarted.signal(SIGTERM) }
        let past = try await button.call(
            "POST", "/v1/lanes/lane-1/presentations", #"{"preset": "Age 18", "reference": "one"}"#)
        let members = try past.json()
        #expect(past.status == 200 && members["id"] as? String == id)
        #expect(members["outcome"] as? String == "allow" && members["reasons"] as? [String] == [])
        #expect(members["decision"] == nil && members["result"] == nil)
    }

    @Test("A button does nothing at another lane, with another preset, or about another's presentation")
    func refused() async throws {
        let (daemon, button) = try await Self.daemon()
        let path = "/v1/lanes/lane-1/presentations"
        #expect(try await button.call("POST", path, #"{"preset": "Age 99"}"#).problem == "presetUnknown")
        #expect(
            try await button.call("POST", path, #"{"preset": "Age 18", "intent": "age over 18"}"#).problem
                == "bodyRefused")
        #expect(
            try await button.call("POST", "/v1/lanes/lane-2/presentations", #"{"preset": "Age 18"}"#).problem
                == "laneUnknown")
        #expect(try await daemon.asApp.call("POST", path, #"{"preset": "Age 18"}"#).problem == "forbidden")
        let id = try await daemon.order(#", "lane": "lane-1""#)
        _ = try await daemon.end(of: id)
        for (method, end) in [("GET", ""), ("DELETE", ""), ("GET", "/events")] {
            #expect(
                try await button.call(method, "/v1/presentations/\(id)\(end)").problem
                    == "presentationUnknown")
        }
        #expect(try await button.call("GET", "/v1/lanes/lane-1").json()["presentation"] is NSNull)
    }

    @Test("The clerk's page starts a preset and decides; a button that ordered it cannot")
    func clerk() async throws {
        let (daemon, button) = try await Self.daemon()
        let reply = try await daemon.asClerk.call(
            "POST", "/v1/lanes/lane-1/presentations", #"{"preset": "Age 21"}"#)
        let id = try #require(try reply.json()["id"] as? String, "\(reply.text)")
        #expect(try await daemon.end(of: id, as: daemon.asClerk).last == "awaitingDecision")
        let body = #"{"decision": "approved"}"#
        #expect(
            try await button.call("POST", "/v1/presentations/\(id)/decision", body).problem == "forbidden")
        try await daemon.decide(id)
        #expect(
            try await daemon.asClerk.call("GET", "/v1/presentations/\(id)").json()["outcome"] as? String
                == "allow")
    }

    private static func faults(_ members: String) -> String {
        let text =
            #"{"lanes": [{"name": "a"\#(members.contains("|") ? members.split(separator: "|")[1] : "")}], \#(members.split(separator: "|")[0])}"#
        do {
            _ = try DaemonConfiguration(Array(text.utf8), environment: [:])
            return ""
        } catch {
            return error.text(of: "f")
        }
    }

    @Test(
        "A preset or a standing order that no phone can be asked is refused where it is written",
        arguments: [
            (#""presets": [{"name": "x", "intent": "age over 18"}]"#, ""),
            (#""presets": [{"name": "x", "intent": "nonsense"}]"#, "/presets/0/intent"),
            (
                #""presets": [{"name": "x", "intent": "age over 18", "retention": "days(3)"}]"#,
                "retains no data"
            ),
            (
                #""presets": [{"name": "x", "intent": "age over 18"}, {"name": "x", "intent": "age over 21"}]"#,
                "has this name"
            ),
            (#""log": "info"|, "standing": "nonsense""#, "/lanes/0/standing"),
            (
                #""tokens": [{"name": "lane:a", "sha256": "\#(digest)", "scopes": ["app"]}]"#,
                "nor with lane:, which is for standing orders"
            ),
            (#""log": "info"|, "presets": ["x"]"#, "must be the name of a preset in presets"),
            (#""presets": [{"name": "x", "intent": "age over 18"}]|, "standing": "x", "presets": ["x"]"#, ""),
        ])
    func refusedAtTheStart(_ members: String, _ fault: String) {
        let said = Self.faults(members)
        #expect(fault.isEmpty ? said.isEmpty : said.contains(fault), "\(said)")
    }
}
