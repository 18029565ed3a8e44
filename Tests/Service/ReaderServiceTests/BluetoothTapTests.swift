import BlueZBench
import BlueZTransport
import MdocSession
import MdocVerification
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
        "NFC v2 over NFC and Bluetooth at once: the first answer is used, and a phone that leaves continues over Bluetooth",
        arguments: AirPhone.Mode.allCases, [false, true])
    func hybrid(_ mode: AirPhone.Mode, _ leaves: Bool) async throws {
        let reader = try VirtualReader()
        defer { reader.lift() }
        for proof in Holder.DeviceAuthentication.allCases {
            for portrait in [2400, 23_000] {
                try await hybrid(mode, proof, portrait, at: reader, leaves: leaves)
                reader.lift()
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func hybrid(
        _ mode: AirPhone.Mode, _ proof: Holder.DeviceAuthentication, _ portrait: Int,
        at reader: VirtualReader,
        leaves: Bool
    ) async throws {
        var profile = WalletProfile.version2Hybrid
        profile.version2?.preference = .bluetoothLE(centralFirst: mode == .central)
        let scene = try Scene(Scene.presentation(profile, proof, portrait: portrait)) {
            $0.consentTime = .milliseconds(500)
            $0.cardFault = leaves ? .pulledInConsent : nil
        }
        let stage = try await AirStage.begin(scene, mode, by: .version2(.automatic)) { phone in
            try await reader.hold(phone)
            return reader.field()
        }
        let result = try await stage.end()
        let response = result.presentation.verified()
        #expect(response?.portrait()?.count == portrait, "\(proof) \(portrait) \(result.phone.lines)")
        #expect(response?.documents[0].deviceBinding == (proof == .mac ? .mac : .signature))
        #expect(scene.events.count(of: .engaged) == 1)
        #expect(result.presentation.notes == [])
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
        await presentation.waitUntilLeft()
        await phone.leave()
        #expect(scene.events.all.starts(with: [.armed, .engaged, .mayLift, .awaitingConsent]))
        #expect(presentation.failure != nil, "\(presentation.summary)")
    }
}
