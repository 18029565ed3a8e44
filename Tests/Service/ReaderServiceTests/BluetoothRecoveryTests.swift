import BlueZBench
import BlueZTransport
import MdocModel
import MdocWallet
import PCSCBench
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite(
    "What becomes of a presentation when Bluetooth goes, and of the next when it is back", .serialized,
    .enabled(if: AirBench.isHere, AirBench.absence), .takingTurnsAtTheBench)
struct BluetoothRecoveryTests {
    /// From the return of the adapter until a presentation may begin.
    static let readiness = Duration.seconds(2)

    struct Loss: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let harm: [AirBench.Action]
        let cure: [AirBench.Action]
        /// The faults' ids.
        let failures: [String]

        init(_ name: String, _ harm: [AirBench.Action], _ cure: [AirBench.Action], _ faults: RadioFault...) {
            testDescription = name
            (self.harm, self.cure) = (harm, cure)
            failures = faults.map(\.id.rawValue)
        }

        static let all = [
            Loss("bluetoothd is killed", [.kill], [.start], .daemonLost),
            Loss("the bus is killed", [.busKill], [.busStart, .start], .busLost),
            // The kernel switches the adapter off before it takes it away.
            Loss(
                "the adapter is pulled", [.adapterOut], [.adapterIn], .adapterOff,
                .adapterLost),
            Loss("the adapter is switched off", [.off], [.on], .adapterOff),
        ]
    }

    @Test(
        "Q117 Q119 While the holder decides: named at once, and the next is verified",
        arguments: Loss.all, AirPhone.Mode.allCases)
    func lostInConsent(_ loss: Loss, _ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.consentTime = .seconds(30) }
        let stage = try await AirStage.begin(scene, mode)
        try await stage.phone.said("request")
        try await expectLoss(loss, of: stage)
        try await expectReturn(after: loss, mode)
    }

    @Test("Q117 While nobody has come yet: named at once, and the next is verified", arguments: Loss.all)
    func lostWhileWaiting(_ loss: Loss) async throws {
        // A phone that never finds us: it looks for another.
        let scene = try Scene.onAir()
        let stage = try await AirStage.begin(
            scene, .central, phone: ["--uuid", "00000000-0000-4000-8000-000000000000"])
        try await Task.sleep(for: .seconds(1))
        try await expectLoss(loss, of: stage)
        try await expectReturn(after: loss, .central)
    }

    private func expectLoss(_ loss: Loss, of stage: AirStage) async throws {
        for action in loss.harm { try await AirBench.control(action) }
        let (presentation, time) = await timed { await stage.reader.value }
        #expect(loss.failures.contains(presentation.summary))
        #expect(time < .seconds(5))
        await stage.phone.leave()
        _ = try await stage.end()
    }

    private func expectReturn(after loss: Loss, _ mode: AirPhone.Mode) async throws {
        let ready = Task { () -> ContinuousClock.Instant in
            try await BlueZRadio.onBench.waitUntilReady()
            return .now
        }
        for action in loss.cure { try await AirBench.control(action) }
        let back = ContinuousClock.now
        #expect(try await ready.value < back + Self.readiness)
        try await Scene.expectNextCustomerServed(mode, after: loss.testDescription)
    }

    @Test("Q117 A bluetoothd that hangs is named when it is called, and the next after it is verified")
    func hangs() async throws {
        var configuration = BlueZConfiguration()
        configuration.call = .seconds(3)
        let radio = BlueZRadio(configuration: configuration)
        #expect(try await Scene.onAir().present(.central, radio: radio).summary == "verified")
        try await AirBench.control(.hang)
        let scene = try Scene.onAir()
        let engagement = try DeviceEngagement(scene.wallet.engagement(.qr, now: .now).deviceEngagement[...])
        let transaction = try scene.transaction(deadlines: .onAir, retrieval: .over(.central))
        let (presentation, time) = await timed { await transaction.run(scanned: engagement, radio: radio) }
        try await AirBench.control(.resume)
        #expect(presentation.failure == .radioUnavailable(.daemonHung))
        #expect(time < .seconds(3) * 4)
        #expect(try await Scene.onAir().present(.central, radio: radio).summary == "verified")
    }

    @Test(
        "Q117 Where bluetoothd hangs while the holder decides, consent's deadline ends it, and the next is verified",
        arguments: AirPhone.Mode.allCases)
    func hangsInConsent(_ mode: AirPhone.Mode) async throws {
        let scene = try Scene.onAir(.qr, mode.role) { $0.consentTime = .seconds(30) }
        let deadlines = PresentationDeadlines.onAir.with { $0.consent = .seconds(4) }
        let stage = try await AirStage.begin(scene, mode, deadlines: deadlines)
        try await stage.phone.said("request")
        try await AirBench.control(.hang)
        #expect(await stage.reader.value.failure == .consentOverdue)
        try await AirBench.control(.resume)
        _ = try await stage.end()
        try await Scene.expectNextCustomerServed(mode, after: "a bluetoothd that hung")
    }

    @Test(
        "Q119 Where there is no adapter NFC alone is used, and said so; where Bluetooth has to be, it is an error"
    )
    func noAdapter() async throws {
        try await AirBench.control(.adapterOut)
        let scene = try Scene()
        let nfc = try await scene.transaction(deadlines: .onAir)
            .run(at: Field(scene.phone()), radio: BlueZRadio.onBench)
        let bluetooth = try await scene.transaction(deadlines: .onAir, retrieval: .over(.central))
            .run(at: Field(scene.phone()), radio: BlueZRadio.onBench)
        try await AirBench.control(.adapterIn)
        #expect(nfc.verified() != nil)
        #expect(scene.events.count(of: .bluetoothUnavailable(.noAdapter)) == 1)
        #expect(bluetooth.failure == .radioUnavailable(.noAdapter))
        try await BlueZRadio.onBench.waitUntilReady()
        try await Scene.expectNextCustomerServed(after: "no adapter")
    }
}
