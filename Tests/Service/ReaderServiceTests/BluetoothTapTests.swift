import BlueZBench
import MdocWallet
import PCSCBench
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
}
