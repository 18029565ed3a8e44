internal import Transport
import MdocModel
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Testing

@Suite("A phone that is connected to and leaves before it is told to start")
struct LeftBeforeStartTests {
    func presentation(leaving: Int) async throws -> Presentation {
        let scene = try Scene.onAir(.qr, .peripheralOnly)
        let engagement = try scene.wallet.engagement(.qr, now: .now)
        let radio = MemoryRadio(leaving: leaving) {
            _ = await HolderEnd.serve(scene.wallet, engagement, over: $0)
        }
        let transaction = try scene.transaction(retrieval: .over(.peripheralServer))
        let scanned = try DeviceEngagement(engagement.deviceEngagement[...])
        let presentation = await transaction.run(scanned: scanned, radio: radio)
        await presentation.waitUntilLeft()
        return presentation
    }

    @Test("Q82 It may come again in the same presentation")
    func again() async throws {
        #expect(try await presentation(leaving: 1).failure == nil)
    }

    @Test("When it leaves again it is given up, by name")
    func twice() async throws {
        #expect(try await presentation(leaving: 2).failure == .connection(.leftBeforeStart))
    }
}
