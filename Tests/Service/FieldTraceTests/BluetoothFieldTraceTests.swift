import BlueZBench
import BlueZTransport
import FieldTrace
import MdocWallet
import NDEF
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "A field trace of presentations over Bluetooth", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothFieldTraceTests {
    private func recorded(
        _ scene: Scene, _ mode: AirPhone.Mode, phone options: [String] = [],
        deadlines: PresentationDeadlines = .onAir
    ) async throws -> (bytes: [UInt8], events: [FieldTraceEvent], result: AirStage.Result) {
        let trace = TraceBytes()
        let recorder = try FieldTraceRecorder(.sample) { trace.append($0) }
        let result = try await scene.present(
            mode, phone: options, deadlines: deadlines, radio: TracingRadio(BlueZConfiguration(), recorder))
        recorder.end(result.presentation)
        return (trace.all, try trace.parsed().lines.map(\.event), result)
    }

    private func fragments(_ events: [FieldTraceEvent]) -> [FragmentsFacts] {
        events.compactMap { event in if case .fragments(let facts) = event { facts } else { nil } }
    }

    private func observed(_ events: [FieldTraceEvent]) -> [ObservationFacts.What] {
        events.compactMap { event in
            if case .observation(let facts) = event { facts.what.word } else { nil }
        }
    }

    @Test(
        "As server: advertisement, Ident, subscriptions, MTU, fragments both ways, the end; nothing personal")
    func server() async throws {
        let scene = try Scene.onAir(.negotiated, portrait: 25_000)
        let (bytes, events, result) = try await recorded(scene, .central)
        #expect(result.presentation.verified() != nil)
        let radio: [RadioFacts] = events.compactMap { event in
            if case .radio(let facts) = event { facts } else { nil }
        }
        #expect(radio.map(\.action.word).prefix(2) == [.advertise, .accept])
        #expect(radio[1].link?.kind.word == .server && radio[1].link?.packetLimit == 507)
        #expect(
            Set(observed(events)).isSuperset(of: [.identRead, .identAnswered, .subscribed, .mtu, .phone]))
        let messages = fragments(events)
        #expect(messages.contains { $0.direction.word == .toPhone && $0.isComplete })
        let answer = try #require(messages.first { $0.direction.word == .fromPhone && $0.isComplete })
        #expect(answer.bytes > 25_000 && answer.fragments > 50 && answer.largest <= 512)
        #expect(AirScript(ArraySlice(try FieldTrace.parse(bytes[...]).lines))?.leavesAfter == nil)
        let secrets = try SessionSecrets(scene, result.tapped?.engagement)
        #expect(secrets.found(in: bytes) == [])
    }

    @Test("As client: the attempts, the address's kind and the most bytes of a value")
    func client() async throws {
        let scene = try Scene.onAir(.negotiated, .peripheralOnly)
        let (bytes, events, result) = try await recorded(scene, .peripheral)
        #expect(result.presentation.verified() != nil)
        let links: [LinkFacts] = events.compactMap { event in
            if case .radio(let facts) = event { facts.link } else { nil }
        }
        #expect(links.first?.kind.word == .client && links.first?.attempts == 1)
        #expect(observed(events).contains(.phone))
        #expect(try SessionSecrets(scene, result.tapped?.engagement).found(in: bytes) == [])
    }
}
