import Accessories
import CommandBench
import JSON
import Testing

@testable import countersign

@Suite("countersign accessory")
struct AccessoryCommandTests {
    private static func accessory(
        _ state: String, lane: String = #""gate""#, trial: Bool = false
    ) throws -> ListedAccessory {
        let text = #"""
            {"accessories": [{"lane": \#(lane), "name": "lock", "kind": "relay", "role": "out",
              "state": "\#(state)", "trial": \#(trial)}], "lanes": []}
            """#
        return try #require(try ListedAccessory.list(in: JSONText(Array(text.utf8)[...])).first)
    }

    private static func ending(_ action: String, _ result: String, _ characters: String) throws -> TryEnding {
        let text = #"""
            {"accessory": "lock", "action": "\#(action)", "result": "\#(result)", "characters": \#(characters)}
            """#
        return try TryEnding(JSONText(Array(text.utf8)[...]))
    }

    @Test("An accessory is a line with name, lane, kind and state, and each state but ready has an advice")
    func list() throws {
        #expect(try Self.accessory("ready").text == "lock at gate: relay, ready")
        #expect(try Self.accessory("ready", lane: "null").text == "lock at all lanes: relay, ready")
        for state in AccessoryState.allCases where state != .ready {
            let lines = try Self.accessory(state.rawValue).text.split(separator: "\n")
            #expect(lines.count == 2 && lines[0] == "lock at gate: relay, \(state.rawValue)", "\(lines)")
        }
        #expect(
            try Self.accessory("absent", trial: true).text.hasPrefix("lock at gate: relay, absent, trial\n"))
        #expect(try Self.accessory("ready").json.line.contains(#""advice":null"#))
        #expect(throws: JSONFault.self) { try Self.accessory("asleep") }
    }

    @Test("The end of a try is one sentence, and what did not happen is a failure")
    func endings() throws {
        let phone = try Self.ending("scan", "phoneCode", "243")
        #expect(phone.text == "a phone's code, 243 characters" && phone.failure == nil)
        let other = try Self.ending("scan", "otherCode", "13")
        #expect(other.text == "not a phone's code, 13 characters" && other.failure == nil)
        #expect(try Self.ending("scan", "otherCode", "null").failure == nil)
        #expect(try Self.ending("pulse", "pulsed", "null").failure == nil)
        for (action, result) in [("pulse", "unknown"), ("pulse", "refused"), ("scan", "noCode")] {
            #expect(try Self.ending(action, result, "null").failure != nil, "\(result)")
        }
        #expect(phone.json.line.contains(#""characters":243"#))
    }

    @Test(
        "An answer that contradicts itself is none",
        arguments: [
            ("scan", "phoneCode", "null"), ("pulse", "pulsed", "3"), ("scan", "phoneCode", "9000"),
            ("open", "pulsed", "null"), ("pulse", "done", "null"),
        ])
    func malformed(_ action: String, _ result: String, _ characters: String) throws {
        #expect(throws: JSONFault.self) { try Self.ending(action, result, characters) }
    }

    @Test("The help says what a try does with each kind, and a daemon that is away is named")
    func help() throws {
        let help = try CommandRun("accessory", "try", "--help")
        #expect(help.status == 0)
        for words in ["A LOCK OPENS", "The text is not shown", "Keys", "EXAMPLES:", "EXIT CODES:"] {
            #expect(help.output.contains(words), "\(words)")
        }
        let away = try CommandRun("accessory", "list", "--socket", "/nonexistent/socket")
        #expect(away.status == 69 && away.errors.contains("start countersignd"))
    }
}
