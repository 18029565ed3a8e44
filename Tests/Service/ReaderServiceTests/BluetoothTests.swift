import BlueZBench
import MdocModel
import MdocWallet
import ReaderService
import PCSCBench
import Testing

@Suite(
    "A presentation over Bluetooth, through the real bluetoothd", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothTests {
    @Test(
        "Every handover, in both modes, is verified with a portrait of 25 KB",
        arguments: HandoverKind.allCases, AirPhone.Mode.allCases)
    func handovers(_ handover: HandoverKind, _ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(handover, mode.role, portrait: 25_000)
        let result = try await scene.present(mode)
        #expect(result.presentation.verified()?.portrait()?.count == 25_000, "\(result.phone.lines)")
        #expect(result.holder.readerStatus == .termination)
        #expect(scene.events.all == [.armed, .engaged, .awaitingConsent, .verifying].suffix(handover == .qr ? 3 : 4))
    }
}
