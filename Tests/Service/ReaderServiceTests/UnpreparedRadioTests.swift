import MdocModel
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Synchronization
import Testing
import Transport

@Suite("A radio whose settings would harm phones, in memory")
struct UnpreparedRadioTests {
    /// A tap of a phone that offers both ways, with the radio that it met.
    private func tap(
        settings: RadioFault?, by transport: RetrievalPlan.Transport
    ) async throws -> (events: [PresentationEvent], radio: MemoryRadio) {
        let scene = try Scene(handover: .static) { $0.profile.bluetoothRole = .centralOnly }
        let phone = try scene.phone()
        let radio = MemoryRadio(settings: settings) { link in
            guard let engagement = phone.engagement else { return await link.close() }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
        }
        var plan = RetrievalPlan()
        plan.transport = transport
        let presentation = try await scene.transaction(retrieval: plan).run(at: Field(phone), radio: radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        return (scene.events.all, radio)
    }

    @Test(
        "Q94 Q100 Where a setting is missing nothing goes on the air: that is said, and the answer comes over NFC"
    )
    func fallsBack() async throws {
        let (events, radio) = try await tap(settings: .settingsMissing, by: .automatic)
        #expect(events.first == .bluetoothUnavailable(.settingsMissing))
        #expect(events.contains(.hold) && !events.contains(.mayLift))
        #expect(radio.served.withLock { $0 } == 0)
    }

    @Test("With the settings, and where Bluetooth alone is wanted, it is used")
    func twins() async throws {
        for (settings, transport) in [
            (nil, .automatic), (.settingsMissing, .bluetoothLE),
        ] as [(RadioFault?, RetrievalPlan.Transport)] {
            let (events, radio) = try await tap(settings: settings, by: transport)
            #expect(events.first == .armed && events.contains(.mayLift))
            #expect(radio.served.withLock { $0 } > 0)
        }
    }

    @Test("A lane says that its Bluetooth is not set up, and uses NFC for a scanned phone that has both ways")
    func lane() async throws {
        let radio = MemoryRadio(settings: .settingsMissing) { _ in }
        let device = ContactlessLaneDevice(reader: Field([]), radio: radio, missingReader: { nil })
        let lane = Lane(name: "one", device: device)
        #expect(await lane.readiness() == .withoutBluetooth(.settingsMissing))
        #expect(radio.prepared.withLock { $0 } == 0)
    }
}
