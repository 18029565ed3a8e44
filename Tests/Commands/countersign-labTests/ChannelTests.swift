import CommandBench
import MdocModel
import MdocWallet
import Testing
import WalletPresentation

@Suite("wallet and bench of an app's and a page's presentations")
struct ChannelTests {
    private static let channels: [PresentationChannel] = [.app, .web]
    private let stage: ChannelFilesStage

    init() throws { stage = try ChannelFilesStage() }

    @Test("bench measures both channels beside both floors, and says what they compare", arguments: channels)
    func bench(_ channel: PresentationChannel) throws {
        _ = try stage.answer(channel)
        let run = try stage.bench(channel, "--rounds", "1", "--per-round", "2")
        #expect(run.status == 0, "\(run.everything)")
        let figures = try run.json()
        #expect(
            Set(figures.keys) == [
                "floorColdNs", "floorWarmNs", "envelopeColdNs", "envelopeWarmNs", "openNs", "rateCold",
                "rateWarm", "tightFloorColdNs", "tightFloorWarmNs", "tightRateCold", "tightRateWarm", "notes",
            ])
        for (name, value) in figures where name != "notes" {
            #expect(try #require(value as? Double) > 0, "\(name)")
        }
        let notes = try #require(figures["notes"] as? [String])
        let cold = "Cold: the document signer is unknown. The root's key object,"
        #expect(notes.contains { $0.hasPrefix(cold) })
        _ = try stage.answer(channel, "--fault", PresentationFault.mac.rawValue)
        #expect(try stage.bench(channel).status == 2)
    }

    @Test("What does not belong together is wrong usage")
    func usage() throws {
        let file = try stage.folder.write([0], as: "file")
        let app = ["--merchant-id", "m", "--team-id", "t", "--nonce", "AAAA"]
        let refused: [[String]] = [
            ["--envelope", file] + app, ["--envelope", file, "--key", file] + app,
            ["--web-request", file, "--origin", "https://a.example"],
            ["--web-request", file, "--web-response", file],
        ]
        for arguments in refused {
            let run = try CommandRun(["wallet"] + arguments, of: "countersign-lab")
            #expect(run.status == 64, "\(arguments) \(run.everything)")
            #expect(run.output.isEmpty)
        }
    }
}
