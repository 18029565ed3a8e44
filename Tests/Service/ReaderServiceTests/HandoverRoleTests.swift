import MdocModel
import MdocSession
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Testing
import Transport

@Suite("The LE role in a Handover Request")
struct HandoverRoleTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let plan: RetrievalPlan.Mode
        let phone: BluetoothLERole

        var testDescription: String { "\(plan) with a phone that is \(phone)" }

        static let all = [RetrievalPlan.Mode.centralClient, .peripheralServer, .race].flatMap { plan in
            [BluetoothLERole.centralOnly, .peripheralOnly, .bothCentralPreferred].map {
                Row(plan: plan, phone: $0)
            }
        }
    }

    @Test(
        "Q204 The value is 03 whatever mode the plan has, and a phone of any role is verified",
        arguments: Row.all)
    func role(_ row: Row) async throws {
        let scene = try Scene.onAir(.negotiated, row.phone)
        let phone = try scene.phone()
        let radio = MemoryRadio { link in
            guard let engagement = phone.engagement else { return await link.close() }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
        }
        let presentation = try await scene.transaction(retrieval: .over(row.plan))
            .run(at: Field(phone), radio: radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        let handover = try #require(phone.engagement?.handover)
        let request: [UInt8]? = if case .nfc(_, let request) = handover { request } else { nil }
        #expect(roles(in: try #require(request)) == [0x03])
    }

    @Test("Q204 The role is read from its own bytes: 02 in the same place is another one")
    func twin() {
        let offer = BluetoothLEOutOfBand(
            role: .bothPeripheralPreferred, serviceUUID: BluetoothUUID(expanding: 0x180f))
        let message = HandoverRequest.encode(readerEngagement: [0xa0], carriers: [.bluetoothLE(offer)])
        #expect(roles(in: message) == [0x02])
    }

    /// The values of LE Role (AD type 1c) that stand before a list of service UUIDs of 128 bits (AD type 07).
    private func roles(in message: [UInt8]) -> [UInt8] {
        message.indices.dropLast(4).filter {
            message[$0...].starts(with: [2, 0x1c]) && message[($0 + 3)...].starts(with: [17, 0x07])
        }.map { message[$0 + 2] }
    }
}
