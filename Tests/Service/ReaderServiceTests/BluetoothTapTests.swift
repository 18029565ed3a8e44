import BlueZBench
import BlueZTransport
import MdocWallet
import PCSCBench
import PCSCTransport
import PresentationStage
import ReaderService
import Testing

@Suite(
    "A tap on the real pcscd, and then Bluetooth through the real bluetoothd", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .enabled(if: VirtualBench.isHere, VirtualBench.absence),
    .takingTurnsAtTheBench)
struct BluetoothTapTests {
    @Test(
        "Q8 Q34 The phone is tapped, lifted, and its answer of 25 KB comes through the air",
        arguments: [HandoverKind.static, .negotiated], AirPhone.Mode.allCases)
    func tap(_ handover: HandoverKind, _ mode: AirPhone.Mode) async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        let scene = try Scene.onAir(handover, mode.role, portrait: 25_000)
        let stage = try await AirStage.begin(scene, mode) { phone in
            try await reader.hold(phone)
            return reader.field()
        }
        try await scene.events.first(.engaged)
        reader.lift()
        let result = try await stage.end()
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(scene.events.all == [.armed, .engaged, .mayLift, .awaitingConsent, .receiving, .verifying])
    }

    @Test(
        "The recorded exchanges of other makers' phones reach engaged, and the phone that comes then is asked",
        arguments: ["testStaticHandover", "testNegotiatedHandover"])
    func recorded(_ exchange: String) async throws {
        let recorded = try RecordedPhone(exchange)
        let card = VirtualCard(
            address: try VirtualBench.address(of: VirtualBench.first),
            power: { if $0 == .on { recorded.comeIntoField() } }, answering: recorded.answer)
        try await card.insert()
        defer { card.remove() }
        let scene = try Scene.onAir()
        let transaction = try scene.transaction(deadlines: .onAir, retrieval: .over(.central))
        let field = PCSCContactlessReader(
            service: PCSCService(), selector: .name(containing: VirtualBench.first))
        let reader = Task { await transaction.run(at: field, radio: BlueZRadio.onBench) }
        try await scene.events.first(.engaged)

        // Its key is unknown here: what it answers is no session data.
        let phone = try AirPhone(.central, uuid: try #require(recorded.service), [])
        try await phone.said("request")
        let presentation = await reader.value
        await presentation.left()
        await phone.leave()
        #expect(scene.events.all.starts(with: [.armed, .engaged, .mayLift, .awaitingConsent]))
        #expect(presentation.failure != nil, "\(presentation.summary)")
    }
}
