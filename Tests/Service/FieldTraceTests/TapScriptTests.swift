import FieldTrace
import MdocWallet
import PresentationStage
import Testing

@Suite("A replay keeps in step with the reader")
struct TapScriptTests {
    private func taps() async throws -> [TracedTap] {
        let scene = try Scene(handover: .static)
        let recorded = try await RecordedScene(scene, at: Field(scene.phone()))
        return [TracedTap](try recorded.trace.parsed().lines)
    }

    @Test("Command by command, it gives what the phone did")
    func inStep() async throws {
        let taps = try await taps()
        try #require(taps.count == 1)
        var script = TapScript(taps[0])
        for exchange in taps[0].exchanges { #expect(script.next(exchange.command.word) == exchange) }
        #expect(script.isOver && script.divergences == 0)
    }

    @Test("Commands that the reader leaves out are passed over, and one too many has no entry")
    func outOfStep() async throws {
        let tap = try #require(try await taps().first)
        var script = TapScript(tap)
        #expect(script.next(.selectNDEF) != nil)
        #expect(script.next(.update) == nil)
        #expect(script.divergences == 1)
        #expect(script.next(.selectTransfer)?.command.word == .selectTransfer)
        #expect(script.divergences > 1)
        #expect(script.next(.selectNDEF) == nil)
        #expect(!script.isOver)
    }

    @Test("A tap that breaks off and the next are two, with the time between them")
    func twoTaps() async throws {
        let scene = try Scene(handover: .static)
        let broken = try scene.phone { $0.cardFault = .pulledInConsent }
        let recorded = try await RecordedScene(scene, at: Field([broken, try scene.phone()]))
        let taps = [TracedTap](try recorded.trace.parsed().lines)
        #expect(taps.map(\.breaksOff) == [true, false])
        #expect(taps[0].next != nil && taps[1].next == nil)
    }
}
