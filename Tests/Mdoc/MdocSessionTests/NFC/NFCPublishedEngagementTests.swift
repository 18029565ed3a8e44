import Foundation
import NDEF
import Testing
import VectorFiles

@testable import MdocSession

@Suite("Published NFC engagements")
struct NFCPublishedEngagementTests {
    /// The phone of the recorded exchanges.
    private func holder(_ vector: RecordedEngagement) throws -> NFCEngagementHolder {
        let engagement = [UInt8](hex: try #require(vector.deviceEngagement))
        let isNegotiated = vector.handoverRequest != nil
        let behaviour = NFCSamples.behaviour {
            if isNegotiated { $0.handover = NFCSamples.negotiated(waitingTime: 0) }
            $0.writeAccess = isNegotiated ? 0x00 : 0xff
        }
        let carriers = [
            NFCSamples.bluetooth(.bothCentralPreferred, uuid: NFCSamples.uuid), .nfc(NFCSamples.nfc),
        ]
        return NFCEngagementHolder(
            behaviour, content: NFCHolderContent(deviceEngagement: engagement, carriers: carriers))
    }

    @Test(
        "Our commands are the recorded ones, with Le 00 added to SELECT by application",
        arguments: ["testStaticHandover", "testNegotiatedHandover"])
    func recordedCommands(name: String) throws {
        let vector = try RecordedEngagement.named(name)
        var reader = NFCEngagementReader(limits: .short, offer: NFCSamples.offer)
        var now = ContinuousClock.now
        var action = reader.start(now: now)
        var commands: [String] = []
        var responses = vector.responses[...]
        while true {
            switch action {
            case .transmit(let command):
                commands.append(command.hex)
                action = reader.receive([UInt8](hex: responses.popFirst() ?? "")[...], now: now)
                continue
            case .wait(let until):
                now = until
                action = reader.expire(now: now)
                continue
            case .deliver(let handover):
                #expect(handover.handoverSelect.hex == vector.handoverSelect)
                #expect(handover.handoverRequest?.hex == vector.handoverRequest)
                #expect(handover.deviceEngagement.hex == vector.deviceEngagement)
            case .end(let reason): Issue.record("ended: \(reason)")
            }
            break
        }
        #expect(commands == [vector.commands[0] + "00"] + vector.commands.dropFirst())
        #expect(responses.isEmpty)
    }

    @Test(
        "The software phone answers the recorded commands as recorded",
        arguments: ["testStaticHandover", "testNegotiatedHandover"])
    func recordedResponses(name: String) throws {
        let vector = try RecordedEngagement.named(name)
        var holder = try holder(vector)
        for (command, response) in zip(vector.commands, vector.responses) {
            #expect(holder.answer([UInt8](hex: command)[...], now: .now).hex == response)
        }
        #expect(holder.handover?.handoverSelect.hex == vector.handoverSelect)
        #expect(holder.handover?.handoverRequest?.hex == vector.handoverRequest)
    }

    @Test(
        "The recorded messages survive other chunk sizes",
        arguments: ["testStaticHandover", "testNegotiatedHandover"], [15, 16, 100, 256])
    func otherChunkSizes(name: String, chunk: Int) throws {
        let vector = try RecordedEngagement.named(name)
        let limits = NFCReaderLimits(
            maximumCommandData: chunk, maximumResponseData: chunk, extendedLength: false)
        var tap = NFCTap(NFCSamples.behaviour(), limits: limits)
        tap.holder = try holder(vector)
        let handover = try #require(tap.run().handover)
        #expect(handover.handoverSelect.hex == vector.handoverSelect)
        #expect(handover.handoverRequest?.hex == vector.handoverRequest)
    }

    @Test("Q56 Q59 The second edition's flow is refused like any unknown application")
    func secondEdition() throws {
        let vector = try RecordedEngagement.named("nfcV2Handover")
        var holder = NFCEngagementHolder(NFCSamples.behaviour(), content: NFCSamples.content())
        #expect(holder.answer([UInt8](hex: vector.commands[0])[...], now: .now).hex == "6a82")
        var transfer = NFCTransferHolder(NFCSamples.behaviour(), carrier: NFCSamples.nfc)
        #expect(transfer.answer([UInt8](hex: vector.commands[0])[...]) == .respond([0x6a, 0x82]))
    }

    @Test("Annex D's Handover Select makes a static handover")
    func annexD() throws {
        struct AnnexD: Decodable {
            struct Vector: Decodable {
                let name: String
                let hex: String
            }
            let vectors: [Vector]
        }
        let file = try VectorFiles.json(
            AnnexD.self, at: VectorFiles.own.appending(path: "nfc/annex-d-handover.json"))
        let bytes = [UInt8](hex: try #require(file.vectors.first { $0.name == "nfcHandoverSelect" }).hex)
        let select = try HandoverSelect.parse(try NDEFMessage.parse(bytes[...]))
        let choice = NFCCarrierChoice(
            select.carriers, offer: NFCSamples.offer, isNegotiated: true, acceptsAll: false)
        #expect(choice.hasUsable)
        #expect(choice.named == .centralClient)
    }
}
