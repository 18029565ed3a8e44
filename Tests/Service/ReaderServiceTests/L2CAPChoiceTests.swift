import MdocModel
import MdocSession
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Synchronization
import Testing
import Transport

@Suite("Which L2CAP channels are tried before the characteristics")
struct L2CAPChoiceTests {
    /// A radio that reaches nobody, and notes what it was to try.
    private final class Attempts: BluetoothLERadio {
        /// The value of the characteristic of whoever would be reached.
        private let named: [UInt8]
        private let tried = Mutex<[String]>([])

        init(named: [UInt8]) { self.named = named }

        var all: [String] { tried.withLock { $0 } }

        private func note(_ attempt: String) { tried.withLock { $0.append(attempt) } }

        func checkReadiness() async throws(BluetoothLEError) {}
        func settingsFault() async -> RadioFault? { nil }
        func prepare() async throws(BluetoothLEError) {}
        func waitUntilReady() async throws(BluetoothLEError) {}

        func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
            throw .serviceIncomplete
        }

        func connect(
            to service: GATTService, choosing choice: ChannelChoice?
        ) async throws(BluetoothLEError) -> any BluetoothLELink {
            if let choice { note("characteristic \(choice(named).map { "\($0)" } ?? "none")") }
            note("characteristics")
            throw .connectionFailed(.refused)
        }

        func connect(
            to uuid: BluetoothUUID, psm: UInt16
        ) async throws(BluetoothLEError) -> any BluetoothLELink {
            note("engagement \(psm)")
            throw .connectionFailed(.refused)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let l2cap: RetrievalPlan.L2CAP
        let engaged: UInt16?
        let named: [UInt8]
        let tried: [String]

        init(_ l2cap: RetrievalPlan.L2CAP, _ engaged: UInt16?, _ named: [UInt8], _ tried: String...) {
            (self.l2cap, self.engaged, self.named) = (l2cap, engaged, named)
            self.tried = tried + ["characteristics"]
        }

        var testDescription: String { "\(l2cap), engagement \(engaged ?? 0), characteristic \(named)" }

        static let all = [
            Row(.never, 0x85, [0, 0, 0, 0x87]),
            Row(.engagement, 0x85, [0, 0, 0, 0x87], "engagement 133"),
            Row(.engagement, nil, [0, 0, 0, 0x87]),
            Row(.characteristic, nil, [0, 0, 0, 0x87], "characteristic 135"),
            Row(.characteristic, nil, [0, 0x86], "characteristic 134"),
            Row(.characteristic, nil, [0x87, 0, 0, 0], "characteristic 135"),
            Row(.characteristic, nil, [0x12, 0x34], "characteristic none"),
            Row(.characteristic, nil, [], "characteristic none"),
            Row(.characteristic, 0x85, [0, 0, 0, 0x87], "engagement 133", "characteristic 135"),
            Row(.characteristic, 0x85, [0, 0, 0, 0x85], "engagement 133", "characteristic none"),
        ]
    }

    @Test(
        "Q61 Q65 The engagement's first, then the characteristic's, each where the plan has it, and none twice",
        arguments: Row.all)
    func choice(_ row: Row) async throws {
        let scene = try Scene.onAir(.qr, .peripheralOnly) { wallet in
            if let psm = row.engaged.flatMap({ L2CAPPSM($0) }) {
                wallet.profile = wallet.profile.adding(psm)
            }
        }
        let transaction = try scene.transaction(retrieval: .over(.peripheralServer, row.l2cap))
        let engagement = try DeviceEngagement(scene.wallet.engagement(.qr, now: .now).deviceEngagement[...])
        let radio = Attempts(named: row.named)
        let presentation = await transaction.run(scanned: engagement, radio: radio)
        #expect(presentation.failure == .connection(.refused))
        #expect(radio.all == row.tried)
    }

    @Test(
        "Q61 What we send the phone names no channel of ours, whatever the plan has of the phone's",
        arguments: [RetrievalPlan.Mode.centralClient, .peripheralServer, .race])
    func ours(_ mode: RetrievalPlan.Mode) async throws {
        let scene = try Scene.onAir(.negotiated, .bothCentralPreferred)
        let phone = try scene.phone()
        let radio = MemoryRadio { link in
            guard let engagement = phone.engagement else { return await link.close() }
            _ = await HolderEnd.serve(scene.wallet, engagement, over: link)
        }
        let presentation = try await scene.transaction(retrieval: .over(mode, .characteristic))
            .run(at: Field(phone), radio: radio)
        #expect(presentation.verified() != nil)
        await presentation.waitUntilLeft()
        let handover = try #require(phone.engagement?.handover)
        let request: [UInt8]? = if case .nfc(_, let request) = handover { request } else { nil }
        let carriers = try HandoverRequest.parse(NDEFMessage.parse(try #require(request)[...])).carriers
        let offers = carriers.map { carrier -> BluetoothLEOutOfBand? in
            if case .bluetoothLE(let offer) = carrier { offer } else { nil }
        }
        #expect(offers.count == 1)
        #expect(offers.allSatisfy { $0?.serviceUUID != nil && $0?.protocolServiceMultiplexer == nil })
    }

    @Test("Q61 A plan leaves out what only a characteristic names unless it is told otherwise")
    func usual() {
        #expect(RetrievalPlan().l2cap == .engagement)
    }
}
