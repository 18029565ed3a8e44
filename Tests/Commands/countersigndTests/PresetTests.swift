import ConfigurationForms
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

    @Test("A button starts a preset and sees its outcome, but no answers")
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

    /// A daemon whose lane has these presets and this page, and a button as its only caller beside `others`.
    private static func lane(
        presets: String, page: String = "{}", others: String = ""
    ) async throws -> [String: Any] {
        let daemon = try await ReaderDaemon(
            lanes: [],
            members: [
                "presets": presets, "socket": "null",
                "lanes": #"[{"name": "lane-1", "benchLink": "tcp://127.0.0.1:9", "page": \#(page)}]"#,
                "tokens": #"[{"name": "button", "scopes": ["order"], "sha256": "\#(digest)"}\#(others)]"#,
            ])
        let button = PlainHTTP(.tcp(port: daemon.port), token: "button-token-of-the-tests")
        return try await button.call("GET", "/v1/lanes/lane-1").json()
    }

    @Test("A preset without a name is named by its questions, and its button has the owner's texts")
    func names() async throws {
        let lane = try await Self.lane(
            presets: #"""
                [{"intent": "age over 18 with portrait for a human to compare"},
                 {"name": "Age 21", "intent": "age over 21"},
                 {"names": {"de": "Ab 16", "en": "16 or over"}, "intent": "age over 16"}]
                """#)
        #expect(
            lane["presets"] as? [String] == ["age_over_18+portrait", "Age 21", "age_over_16"])
        let buttons = try #require(lane["buttons"] as? [[String: Any]])
        #expect(buttons.compactMap { $0["preset"] as? String } == lane["presets"] as? [String])
        #expect(
            buttons.map { $0["asks"] as? [String] } == [
                ["age_over_18", "portrait"], ["age_over_21"], ["age_over_16"],
            ])
        #expect(buttons[0]["names"] is NSNull)
        #expect(buttons[1]["names"] as? [String: String] == [:])
        #expect(buttons[2]["names"] as? [String: String] == ["de": "Ab 16", "en": "16 or over"])
    }

    @Test("The texts of the privacy notice are null where the owner gave none, and differ by language")
    func notice() async throws {
        let lane = try await Self.lane(
            presets: "[]",
            page: #"{"notice": {"contact": "desk"}, "notices": {"de": {"purpose": "Zur Kontrolle"}}}"#)
        let kiosk = try #require(lane["kiosk"] as? [String: Any])
        func texts(_ value: Any?) -> [String?] {
            let members = value as? [String: Any] ?? [:]
            return ["controller", "purpose", "kept", "contact"].map { members[$0] as? String }
        }
        #expect(texts(kiosk["notice"]) == [nil, nil, nil, "desk"])
        let notices = try #require(kiosk["notices"] as? [String: Any])
        #expect(Array(notices.keys) == ["de"] && texts(notices["de"]) == [nil, "Zur Kontrolle", nil, nil])
    }

    @Test(
        "What the presets keep is told only if they keep the same, and if no program may order something else",
        arguments: [
            ([("age over 18", "none"), ("age over 21", "none")], "", "none"),
            ([("age over 18", "receipt")], "", "receipt"),
            ([("age over 18", "none"), ("age over 21", "receipt")], "", nil), ([], "", nil),
            (
                [("age over 18", "none")],
                #", {"name": "app", "scopes": ["app"], "sha256": "087d685b238eeaf155d9d90b40642466559a5df63c6d4e79501de9fe0f9faf53"}"#,
                nil
            ),
        ] as [([(String, String)], String, String?)])
    func retention(_ presets: [(String, String)], _ others: String, _ told: String?) async throws {
        let list = presets.map { #"{"intent": "\#($0)", "retention": "\#($1)"}"# }
        let lane = try await Self.lane(presets: "[\(list.joined(separator: ", "))]", others: others)
        #expect(lane["retention"] as? String == told && lane.keys.contains("retention"))
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

    private static let dataPreset =
        #""presets": [{"name": "x", "kind": "data", "intent": "identity: name", "retention": "days(3)", "brand": "utopia"}], "readerTokens": {"keys": [{"brand": "utopia", "kid": "k1", "keyFile": "/srv/k1.pem"}], "grants": []}"#

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
            (
                #""presets": [{"intent": "age over 18"}, {"intent": "age over 18", "retention": "none"}]"#,
                "/presets/1: another preset asks the same: give one of them a name"
            ),
            (#""presets": [{"intent": "age over 18"}, {"name": "other", "intent": "age over 18"}]"#, ""),
            (
                #""presets": [{"names": {"xx": "a"}, "intent": "age over 18"}]"#,
                "/presets/0/names/xx: the name must be a language of the pages"
            ),
            (
                #""presets": [{"names": {"de": "\#(String(repeating: "a", count: 65))"}, "intent": "age over 18"}]"#,
                "/presets/0/names/de: must be a text of 1 to 64"
            ),
            (#""presets": [{"intent": "age over 18"}]|, "standing": "age_over_18""#, ""),
            (
                #""log": "info"|, "page": {"notices": {"de": {"wish": "a"}}}"#,
                #"/lanes/0/page/notices/de/wish: the member "wish" is not known"#
            ),
            (#""log": "info"|, "page": {"notice": {}, "notices": {"de": {"kept": "nichts"}}}"#, ""),
            (#""log": "info"|, "standing": "nonsense""#, "/lanes/0/standing"),
            (
                #""tokens": [{"name": "lane:a", "sha256": "\#(digest)", "scopes": ["app"]}]"#,
                "or lane: (reserved for standing orders)"
            ),
            (#""log": "info"|, "presets": ["x"]"#, "must be the name of a preset in presets"),
            (#""presets": [{"name": "x", "intent": "age over 18"}]|, "standing": "x", "presets": ["x"]"#, ""),
            (#""presets": [{"name": "x", "kind": "data", "intent": "identity: name"}]"#, "needs brand"),
            (
                #""presets": [{"name": "x", "intent": "age over 18", "then": {"intent": "identity: name"}}]"#,
                "needs brand"
            ),
            (
                #""presets": [{"name": "x", "intent": "age over 18", "brand": "utopia"}]"#,
                "which ask for data"
            ),
            (
                #""presets": [{"name": "x", "kind": "data", "intent": "identity: name", "brand": "utopia"}]"#,
                "must be the brand of a key in readerTokens.keys"
            ),
            (
                #""presets": [{"name": "x", "intent": "age over 18", "brand": "utopia", "then": {"intent": "nonsense"}}]"#,
                "/presets/0/then/intent"
            ),
            (#"\#(dataPreset)"#, ""),
            (#"\#(dataPreset)|, "standing": "x""#, "no desk receives the data of a standing order"),
        ])
    func refusedAtTheStart(_ members: String, _ fault: String) {
        let said = Self.faults(members)
        #expect(fault.isEmpty ? said.isEmpty : said.contains(fault), "\(said)")
    }
}
