import Foundation
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import VectorFiles

/// The rows of the table of our own times in `Documentation/second-edition.md`.
@Suite(
    "Own time of NFC v2, through the real pcscd", .serialized,
    .enabled(if: VirtualBench.isHere, VirtualBench.absence), .takingTurnsAtTheBench)
struct NFCVersion2TimeTests {
    private struct Way {
        let name: String
        let profile: WalletProfile
        let handover: HandoverKind
        let use: RetrievalPlan.NFCVersion2
    }

    private struct Times {
        let engagement: Duration
        let verdict: Duration
        /// The commands that the phone answered.
        let commands: Int
    }

    private static let taps = 5
    private static let classic = Way(
        name: "negotiated", profile: .generic.addingNFCCarrier(), handover: .negotiated, use: .off)
    private static let version2 = Way(
        name: "NFC v2", profile: .multipazVersion2, handover: .static, use: .automatic)

    /// One tap, of reader, pcscd and software wallet together.
    private func tap(_ way: Way, portrait: Int, at reader: VirtualReader) async throws -> Times {
        let scene = try Scene(Scene.presentation(way.profile, portrait: portrait), handover: way.handover)
        let phone = try scene.phone()
        try await reader.hold(phone)
        let presentation = try await scene.transaction(retrieval: .version2(way.use)).run(at: reader.field())
        #expect(presentation.verified() != nil)
        try await reader.takeAway()
        let phases = presentation.phases
        return Times(
            engagement: phases.first { $0.name == .engagement }?.duration ?? .zero,
            verdict: phases.reduce(.zero) { $0 + $1.duration }, commands: phone.log.commands.count)
    }

    private static func median(_ taps: [Times]) -> Times {
        Times(
            engagement: taps.map(\.engagement).sorted()[taps.count / 2],
            verdict: taps.map(\.verdict).sorted()[taps.count / 2],
            commands: taps.map(\.commands).sorted()[taps.count / 2])
    }

    @Test("NFC v2 takes fewer commands than negotiated handover; median times are in .build/nfc-v2-times.md")
    func ownTime() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        var page = ["| portrait | path | engagement, ms | verdict, ms |", "|---|---|---|---|"]
        for portrait in [2400, 23_000] {
            var (classic, version2): ([Times], [Times]) = ([], [])
            // In turns, so that what disturbs the machine disturbs both.
            for _ in 0..<Self.taps {
                classic.append(try await tap(Self.classic, portrait: portrait, at: reader))
                version2.append(try await tap(Self.version2, portrait: portrait, at: reader))
            }
            for (way, taps) in [(Self.classic, classic), (Self.version2, version2)] {
                let times = Self.median(taps)
                page.append(
                    "| \(portrait) | \(way.name) | \(times.engagement.text) | \(times.verdict.text) |")
            }
            // Times depend on what else runs: they are for reading.
            #expect(Self.median(version2).commands < Self.median(classic).commands)
        }
        let file = VectorFiles.repository.appending(path: ".build/nfc-v2-times.md")
        try Data((page.joined(separator: "\n") + "\n").utf8).write(to: file, options: .atomic)
    }
}

extension Duration {
    /// In milliseconds.
    fileprivate var text: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return "\(Double(microseconds / 10) / 100)"
    }
}
