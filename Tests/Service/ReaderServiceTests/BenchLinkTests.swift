import CBOR
import MdocModel
import MdocSession
import MdocVerification
import MdocWallet
import PresentationStage
import ReaderService
import Testing
import Transport
import VectorFiles

@Suite("A presentation over a bench link")
struct BenchLinkTests {
    @Test(
        "Every wallet's answer is verified, and the phone told that the session is over",
        arguments: WalletCase.byQRCodeOrNFC)
    func profiles(_ row: WalletCase) async throws {
        let scene = try Scene(Scene.presentation(row.profile, row.proof), handover: row.handover)
        let (presentation, phone) = try await run(scene)
        #expect(
            presentation.verified()?.documents[0].deviceBinding == (row.proof == .mac ? .mac : .signature))
        #expect(phone.readerStatus == .termination)
        #expect(try DeviceRequest(#require(phone.request)[...]).docRequests.count == 1)
        #expect(scene.events.all == [.armed, .engaged, .awaitingConsent, .receiving, .verifying])
        #expect(presentation.phases.map(\.name) == [.engagement, .request, .consent, .verification])
    }

    @Test("A holder who declines is an outcome", arguments: [Holder.Decision.declines, .returnsNothing])
    func declined(_ decision: Holder.Decision) async throws {
        let scene = try Scene(handover: .qr) { $0.holder.decision = decision }
        #expect(try await run(scene).presentation.isDeclined)
    }

    @Test("A holder who closes the link loses it", arguments: [0, 1])
    func closed(after messages: Int) async throws {
        let scene = try Scene(handover: .qr)
        let (reader, holder) = InMemoryChannel.pair()
        let greeting = try scene.link().greeting
        let phone = Task {
            try await holder.send(greeting)
            for _ in 0..<messages { _ = try await holder.receive() }
            await holder.close()
        }
        let presentation = try await scene.transaction().run(over: reader)
        #expect(presentation.failure == .linkLost)
        _ = await phone.result
    }

    @Test(
        "A first frame that is no greeting is refused by name",
        arguments: ["", "a0", "83010203", "a16271726161", "a262717260706465766963654567616765656d656e7441aa"])
    func malformedGreeting(_ frame: String) async throws {
        let scene = try Scene(handover: .qr)
        let (reader, holder) = InMemoryChannel.pair()
        try await holder.send([UInt8](hex: frame))
        let presentation = try await scene.transaction().run(over: reader)
        guard case .benchLink? = presentation.failure else {
            Issue.record("\(presentation.result)")
            return
        }
    }

    @Test("Members of the greeting that nobody knows are skipped")
    func unknownMembers() async throws {
        let scene = try Scene(handover: .static)
        let (reader, holder) = InMemoryChannel.pair()
        var link = try scene.link()
        // The map of four members becomes one of five.
        let greeting =
            [0xa5] + link.greeting.dropFirst()
            + CBOREncoder.encode { encoder in
                encoder.text("verdict")
                encoder.text("verified")
            }
        async let presentation = scene.transaction().run(over: reader)
        try await holder.send(greeting)
        guard case .send(let answer, _) = link.session.receive(try await holder.receive()[...]) else {
            Issue.record("no answer")
            return
        }
        try await holder.send(answer)
        #expect(try await presentation.verified() != nil)
    }

    @Test("Q194 Over TCP, a phone that announces more than 1 MiB is refused by name")
    func messageCap() async throws {
        let scene = try Scene(handover: .qr)
        var roomy = FramedTCPConfiguration()
        roomy.maximumFrame = 4 << 20
        let listener = try FramedTCPListener(
            on: SocketAddress(host: "127.0.0.1", port: 0), configuration: roomy)
        let greeting = try scene.link().greeting
        let phone = Task {
            let channel = try await listener.accept()
            try await channel.send(greeting)
            _ = try await channel.receive()
            try? await channel.send([UInt8](repeating: 0, count: 1 << 20 + 1))
            await channel.close()
        }
        let channel = try await FramedTCPChannel.connect(to: listener.address)
        let presentation = try await scene.transaction().run(over: channel)
        #expect(
            presentation.failure == .messageTooLong(announced: 1 << 20 + 1, limit: 1 << 20))
        _ = await phone.result
        await listener.close()
    }

    @Test("Q197 The answer of another session does not decrypt")
    func replay() async throws {
        let scene = try Scene(handover: .qr)
        var recorded: [UInt8] = []
        for number in 1...2 {
            let (reader, holder) = InMemoryChannel.pair()
            var link = try scene.link()
            async let presentation = scene.transaction().run(over: reader)
            try await holder.send(link.greeting)
            guard case .send(let answer, _) = link.session.receive(try await holder.receive()[...]) else {
                Issue.record("no answer")
                return
            }
            if number == 1 { recorded = answer }
            try await holder.send(recorded)
            let outcome = try await presentation
            if number == 1 {
                #expect(outcome.verified() != nil)
            } else {
                #expect(outcome.failure == .session(.decryptionFailed))
            }
        }
    }

    private func run(_ scene: Scene) async throws -> (presentation: Presentation, phone: HolderEnd.Log) {
        let (reader, holder) = InMemoryChannel.pair()
        let phone = Task { try await HolderEnd.serve(scene, over: holder) }
        let presentation = try await scene.transaction().run(over: reader)
        return (presentation, try await phone.value)
    }
}
