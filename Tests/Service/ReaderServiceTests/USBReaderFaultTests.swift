import MdocWallet
import PCSCBench
import PCSCTransport
import PresentationStage
import ReaderService
import Testing

@Suite(
    "USB readers that fail, and phones that lie on them badly", .serialized,
    .enabled(if: USBBench.isHere, USBBench.absence), .takingTurnsAtTheBench)
struct USBReaderFaultTests {
    @Test(
        "Q2 Q132 At a short and at an extended reader a phone pulled in mid-APDU and tapped again is verified",
        arguments: [USBReaderModel.acr122u, .acr1252u])
    func pulledAndTappedAgain(_ model: USBReaderModel) async throws {
        try await USBReader.plugged(model) { reader in
            for fault in [CardFault.pulledInEngagement, .pulledInConsent, .pulledInResponse] {
                try await reader.verifyNextTap(after: fault)
            }
        }
    }

    @Test("Q136 Unplugged while the holder decides and plugged in again: the next tap is verified")
    func unpluggedAndBack() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            let scene = try Scene()
            try await reader.hold(try scene.phone { $0.consentTime = .seconds(60) })
            let transaction = try scene.transaction(
                deadlines: PresentationDeadlines.ample.with { $0.nextTap = .seconds(20) })
            let field = PCSCContactlessReader(
                service: PCSCService(), selector: .name(containing: USBReaderModel.acr1252u.antenna))
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.awaitingConsent)
            try await USBBench.unplug()
            reader.lift()
            let again = try VirtualReader(await USBBench.plug(.acr1252u))
            defer { again.lift() }
            try await again.hold(try scene.phone())
            let outcome = await presentation
            #expect(outcome.verified() != nil, "\(outcome.summary)")
        }
    }

    @Test("Q131 A card that is reported and not there is no phone, and the phone that comes then is verified")
    func ghost() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            try await USBBench.fault(.ghost)
            let scene = try Scene()
            let transaction = try scene.transaction()
            let field = reader.field()
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.armed)
            try await Task.sleep(for: .seconds(1))
            #expect(scene.events.all == [.armed])
            try await USBBench.clear(.ghost)
            try await reader.hold(try scene.phone())
            let outcome = await presentation
            #expect(outcome.verified() != nil, "\(outcome.summary)")
        }
    }

    @Test("Q131 A phone that the reader does not announce is found when the driver asks for it")
    func noInterrupt() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            try await USBBench.fault(.noInterrupt)
            let scene = try Scene()
            let presentation = try await reader.present(scene, scene.phone())
            #expect(presentation.verified() != nil, "\(presentation.summary)")
        }
    }
}
