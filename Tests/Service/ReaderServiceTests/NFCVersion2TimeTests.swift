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
    private struct Times {
        let engagement: Duration
        let verdict: Duration
    }

    private static let taps = 5
    /// The limit is 10 ms on a machine that does nothing else; this one runs other tests.
    private static let limit = Duration.milliseconds(100)

    /// The medians of some taps, of reader, pcscd and software wallet together.
    private func times(
        _ profile: WalletProfile, _ handover: HandoverKind, portrait: Int, _ use: RetrievalPlan.NFCVersion2,
        at reader: VirtualReader
    ) async throws -> Times {
        var taps: [Times] = []
        for _ in 0..<Self.taps {
            let scene = try Scene(Scene.presentation(profile, portrait: portrait), handover: handover)
            try await reader.hold(scene.phone())
            let presentation = try await scene.transaction(retrieval: .version2(use)).run(at: reader.field())
            #expect(presentation.verified() != nil)
            let phases = presentation.phases
            taps.append(
                Times(
                    engagement: phases.first { $0.name == .engagement }?.duration ?? .zero,
                    verdict: phases.reduce(.zero) { $0 + $1.duration }))
            reader.lift()
            try await Task.sleep(for: .seconds(1))
        }
        return Times(
            engagement: taps.map(\.engagement).sorted()[Self.taps / 2],
            verdict: taps.map(\.verdict).sorted()[Self.taps / 2])
    }

    @Test("NFC v2 takes less than negotiated handover; the medians are in .build/nfc-v2-times.md")
    func ownTime() async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        var page = ["| portrait | path | engagement, ms | verdict, ms |", "|---|---|---|---|"]
        for portrait in [2400, 23_000] {
            let classic = try await times(
                .generic.addingNFCCarrier(), .negotiated, portrait: portrait, .off, at: reader)
            let version2 = try await times(
                .multipazVersion2, .static, portrait: portrait, .automatic, at: reader)
            for (path, times) in [("negotiated", classic), ("NFC v2", version2)] {
                page.append(
                    "| \(portrait) | \(path) | \(times.engagement.text) | \(times.verdict.text) |")
            }
            #expect(version2.engagement < classic.engagement)
            #expect(version2.verdict < classic.verdict)
            #expect(version2.verdict < Self.limit, "\(version2.verdict)")
        }
        let file = VectorFiles.repository.appending(path: ".build/nfc-v2-times.md")
        try Data((page.joined(separator: "\n") + "\n").utf8).write(to: file, options: .atomic)
    }
}

extension Duration {
    fileprivate var text: String {
        let microseconds = components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
        return "\(Double(microseconds / 10) / 100)"
    }
}
