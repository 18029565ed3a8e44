import MdocModel
import MdocSession
import MdocWallet
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite("The way in which a phone was met")
struct EngagementKindTests {
    @Test(
        "A tap is an engagement by NFC, with either kind of handover",
        arguments: [HandoverKind.static, .negotiated])
    func tap(_ handover: HandoverKind) async throws {
        let scene = try Scene(handover: handover)
        let presentation = try await scene.transaction().run(at: Field(scene.phone()))
        #expect(presentation.verified() != nil && presentation.engagementKind == .nfc)
    }

    @Test("A tap with NFC v2 is told apart from a tap with classic handover")
    func version2() async throws {
        let scene = try Version2Case.scene()
        for (use, kind) in [(RetrievalPlan.NFCVersion2.automatic, EngagementKind.nfcV2), (.off, .nfc)] {
            let transaction = try scene.transaction(retrieval: .version2(use))
            let presentation = try await transaction.run(at: Field(scene.phone()))
            #expect(presentation.engagementKind == kind, "\(use)")
        }
    }

    @Test("A scanned code stays an engagement by code, although its phone is tapped for the answer")
    func scanned() async throws {
        let scene = try Scene(handover: .qr)
        let phone = try scene.phone()
        let engagement = try DeviceEngagement(
            EngagementURI.deviceEngagement(in: try #require(phone.engagement?.uri))[...])
        let presentation = try await scene.transaction().run(at: Field(phone), scanned: engagement)
        #expect(presentation.verified() != nil && presentation.engagementKind == .qr)
    }

    @Test("A phone that declines was met; without a phone there is no engagement")
    func withoutAnswer() async throws {
        let declining = try Scene { $0.holder.decision = .declines }
        let declined = try await declining.transaction().run(at: Field(declining.phone()))
        #expect(declined.isDeclined && declined.engagementKind == .nfc)
        let scene = try Scene()
        let transaction = try scene.transaction(deadlines: .ample.with { $0.engagement = .milliseconds(50) })
        let absent = await transaction.run(at: Field([]))
        #expect(absent.failure == .engagementOverdue(lastTap: nil) && absent.engagementKind == nil)
    }
}
