import CommandBench
import Foundation
import PCSCBench
import Testing

@Suite(
    "demo, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct DemoTests {
    /// The virtual reader sees a card leave only when it stays away.
    private func afterwards() async throws { try await Task.sleep(for: .seconds(1)) }

    /// The answer in README, as the command prints it.
    private func readmeAnswer() throws -> String {
        let page = try String(contentsOfFile: Self.project + "/README.md", encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix("    TEST DOCUMENT:") })
        return lines[start...].prefix { $0.hasPrefix("    ") }.map { $0.dropFirst(4) + "\n" }.joined()
    }

    /// The project's folder.
    private static let project = #filePath.components(separatedBy: "/Tests/")[0]

    /// A text whose measured times and trust snapshot are the same in each run.
    private static func withoutNumbers(_ text: String) throws -> String {
        text.replacing(try Regex("[0-9.]+ ms"), with: "N ms")
            .replacing(try Regex("snapshot [0-9a-f]+"), with: "snapshot ID")
    }

    @Test("demo is one whole age check, with README's answer: exit code 0")
    func demo() async throws {
        let run = try await executeLab(["demo"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("TEST DOCUMENT: over 21 yes\n"))
        #expect(try Self.withoutNumbers(run.output) == Self.withoutNumbers(readmeAnswer()))
        try await afterwards()
    }

    @Test(
        "demo ends as its phone does",
        arguments: [
            (["--age", "17"], 1, "no"), (["--fault", "device.mac_flipped"], 2, "rejected"),
            (["--decision", "declines"], 3, "declined"), (["--fault", "card.transfer_6f00"], 3, "transfer"),
            (["--profile", "apple", "--mac", "--portrait-size", "90000"], 0, "90000"),
        ])
    func outcomes(_ arguments: [String], _ status: Int, _ word: String) async throws {
        let run = try await executeLab(["demo", "--json"] + arguments)
        #expect(Int(run.status) == status, "\(run.errors)")
        #expect(run.output.contains(word))
        #expect(["mock", "rejected", "incomplete"].contains(try run.report().verdict))
        try await afterwards()
    }
}
