import BlueZBench
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing

@Suite(
    "A tap at a USB reader, and then Bluetooth through the real bluetoothd", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .enabled(if: USBBench.isHere, USBBench.absence),
    .takingTurnsAtTheBench)
struct USBReaderTapTests {
    @Test(
        "At every model the phone is tapped and lifted, and its answer comes through the air",
        arguments: USBReaderModel.allCases, [2400, 25_000])
    func tap(_ model: USBReaderModel, portrait: Int) async throws {
        try await USBReader.plugged(model) { reader in
            let scene = try Scene.onAir(.negotiated, portrait: portrait)
            let stage = try await AirStage.begin(scene, .central) { phone in
                try await reader.hold(phone)
                return reader.field()
            }
            try await scene.events.first(.engaged)
            reader.lift()
            let result = try await stage.end()
            #expect(result.presentation.verified()?.portrait()?.count == portrait, "\(result.phone.lines)")
        }
    }

    @Test(
        "A reader unplugged after the tap is not missed: the answer comes through the air"
    )
    func unpluggedAfterTap() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene.onAir(.negotiated) { $0.consentTime = .seconds(3) }
            let stage = try await AirStage.begin(scene, .central) { phone in
                try await reader.hold(phone)
                return reader.field()
            }
            try await scene.events.first(.awaitingConsent)
            try await USBBench.unplug()
            let result = try await stage.end()
            #expect(result.presentation.verified() != nil, "\(result.presentation.summary)")
        }
    }
}
