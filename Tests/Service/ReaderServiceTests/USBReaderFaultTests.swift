import MdocSession
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

    @Test("Q131 A card that is reported and not there is no phone, and the phone that comes then is verified")
    func ghost() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            try await USBBench.fault(.ghost)
            let scene = try Scene()
            let transaction = try scene.transaction()
            let field = reader.field()
            async let presentation = transaction.run(at: field)
            let lift = PresentationEvent.liftAndTapAgain(NFCEndReason(.selectApplication, .cardMute))
            try await scene.events.first(lift, within: .seconds(15))
            #expect(scene.events.all == [.armed, lift])
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

    @Test("Q131 After a phone whose leaving the reader did not report, the next customer's is verified")
    func leftUnreported() async throws {
        try await USBReader.plugged(.tpdu) { reader in
            let field = reader.field()
            let first = try Scene()
            try await reader.hold(try first.phone())
            let served = try await first.transaction().run(at: field)
            #expect(served.verified() != nil, "\(served.summary)")
            let scene = try Scene()
            let transaction = try scene.transaction()
            async let presentation = transaction.run(at: field)
            try await scene.events.first(.armed)
            try await USBBench.fault(.noInterrupt)
            try await reader.takeAway()
            try await USBBench.clear(.noInterrupt)
            try await reader.hold(try scene.phone())
            let outcome = await presentation
            #expect(outcome.verified() != nil, "\(outcome.summary)")
        }
    }

    @Test("Q208 A reader that reports the phone again every 250 ms gives it to one presentation alone")
    func polls() async throws {
        try await USBReader.plugged(.acr1252u) { reader in
            try await USBBench.fault(.polls, 0.25)
            let scene = try Scene()
            let field = reader.field()
            try await reader.hold(try scene.phone())
            let first = try await scene.transaction().run(at: field)
            #expect(first.verified() != nil, "\(first.summary)")
            let short = PresentationDeadlines.ample.with { $0.engagement = .seconds(3) }
            let second = try await scene.transaction(deadlines: short).run(at: field)
            #expect(second.failure == .engagementOverdue(lastTap: nil), "\(second.summary)")
            reader.lift()
            try await Task.sleep(for: .seconds(2))
            try await USBBench.clear(.polls)
            try await reader.hold(try scene.phone())
            let third = try await scene.transaction().run(at: field)
            #expect(third.verified() != nil, "\(third.summary)")
        }
    }
}
