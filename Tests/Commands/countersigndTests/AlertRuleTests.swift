import Foundation
import OtherPrograms
import Testing

/// `Hardware/Packaging/countersign.rules.yml` beside what the daemon exports.
@Suite("Alert rules for Prometheus")
struct AlertRuleTests {
    private static func rules() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = root.appending(path: "Hardware/Packaging/countersign.rules.yml")
        return try String(contentsOf: file, encoding: .utf8)
    }

    private static let accessories = #"""
        [{"name": "lock", "lane": "lane-1",
          "out": {"relay": {"lcus": {"device": "/dev/ttyUSB0", "channel": 1}}}}]
        """#

    /// The words of the label `state` that a metric has in a text, in rules or in what is exported.
    private static func states(of metric: String, in text: String) throws -> Set<String> {
        let choice = try Regex(#"\#(metric)\{[^}]*\bstate=~?"([a-zA-Z|]+)""#, as: (Substring, Substring).self)
        return Set(text.matches(of: choice).flatMap { $0.output.1.split(separator: "|") }.map { String($0) })
    }

    /// The names of metrics that a text has, in rules or in what is exported.
    private static func names(in text: String) -> Set<String> {
        Set(text.matches(of: /\bcountersign_[a-z_]+/).map { String($0.output) })
    }

    /// Those that the daemon does not export.
    private static func unknown(in rules: String, _ exported: String) -> Set<String> {
        let types = exported.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        return names(in: rules).subtracting(names(in: types.joined(separator: "\n")))
    }

    @Test("Every metric of a rule is one that the daemon exports; a misspelt one is found")
    func names() async throws {
        let daemon = try await ReaderDaemon()
        let exported = try await daemon.asAdmin.call("GET", "/metrics").text
        let rules = try Self.rules()
        #expect(Self.names(in: rules).count >= 6)
        #expect(Self.unknown(in: rules, exported) == [])
        let misspelt = rules.replacing("countersign_lane_ready", with: "countersign_lanes_ready")
        #expect(Self.unknown(in: misspelt, exported) == ["countersign_lanes_ready"])
    }

    @Test("Every label that a rule chooses by is one of its metric")
    func labels() async throws {
        let daemon = try await ReaderDaemon(members: ["accessories": Self.accessories])
        let id = try await daemon.order(#", "retention": "receipt""#)
        _ = try await daemon.end(of: id)
        let exported = try await daemon.asAdmin.call("GET", "/metrics").text
        let rules = try Self.rules()
        let choices = rules.matches(
            of: /(countersign_(?:(?:records|presentations|outputs)_total|accessory_state))\{([a-z]+)=/)
        #expect(choices.count >= 6)
        for match in choices {
            let series = exported.split(separator: "\n").filter { $0.hasPrefix("\(match.output.1){") }
            #expect(!series.isEmpty && series.allSatisfy { $0.contains("\(match.output.2)=\"") })
        }
    }

    @Test("Every state of an accessory but ready has a rule, and a rule names no state that does not exist")
    func accessoryStates() async throws {
        let daemon = try await ReaderDaemon(members: ["accessories": Self.accessories])
        let exported = try await daemon.asAdmin.call("GET", "/metrics").text
        let rules = try Self.rules()
        let states = try Self.states(of: "countersign_accessory_state", in: exported)
        #expect(states.contains("notAnswering") && states.contains("ready"))
        let named = try Self.states(of: "countersign_accessory_state", in: rules)
        #expect(named == states.subtracting(["ready"]))
        // The device of a program that does not run has an alert, and its outputs begin at zero.
        #expect(exported.contains(#"kind="relay",state="notAnswering"} 1"#))
        let ends = try Self.states(of: "countersign_outputs_total", in: exported)
        #expect(ends == ["done", "notGiven", "unknown", "refused"])
        #expect(exported.contains(#"countersign_outputs_total{accessory="lock",state="unknown"} 0"#))
        #expect(try Self.states(of: "countersign_outputs_total", in: rules) == ["unknown", "refused"])
    }
}
