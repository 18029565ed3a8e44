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
        let daemon = try await ReaderDaemon()
        let id = try await daemon.order(#", "retention": "receipt""#)
        _ = try await daemon.end(of: id)
        let exported = try await daemon.asAdmin.call("GET", "/metrics").text
        let rules = try Self.rules()
        for match in rules.matches(of: /(countersign_(?:records|presentations)_total)\{([a-z]+)=/) {
            let series = exported.split(separator: "\n").filter { $0.hasPrefix("\(match.output.1){") }
            #expect(!series.isEmpty && series.allSatisfy { $0.contains("\(match.output.2)=\"") })
        }
    }
}
