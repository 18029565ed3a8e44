import BlueZBench
import BlueZTransport
import MdocSession
import MdocWallet
import NDEF
import PresentationStage
import ReaderService
import Transport

/// How an answer comes over the air.
enum Way: String, CaseIterable {
    case centralClient = "central client"
    case peripheralServer = "peripheral server"
    case channel = "L2CAP"

    private static let psm: UInt16 = 0x85

    /// What the phone is.
    var mode: AirPhone.Mode { self == .centralClient ? .central : .peripheral }

    /// What the phone is told besides its mode.
    var phoneOptions: [String] { self == .channel ? ["--l2cap-psm", "\(Self.psm)"] : [] }

    /// A phone that answers this way with a portrait of so many bytes.
    func scene(_ handover: HandoverKind = .qr, portrait: Int) throws -> Scene {
        guard self == .channel, let psm = L2CAPPSM(Self.psm) else {
            return try .onAir(handover, mode.role, portrait: portrait)
        }
        return try .onAir(handover, mode.role, portrait: portrait) { $0.profile = $0.profile.adding(psm) }
    }

    /// The reader's link to the service of this UUID, started.
    func link(
        by radio: BlueZRadio, to uuid: BluetoothUUID
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        switch self {
        case .centralClient:
            let server = try await radio.serve(GATTService(.mdocCentralClient(uuid)))
            await server.setIdent([UInt8](repeating: 0, count: 16))
            do throws(BluetoothLEError) { return try await server.link() } catch {
                await server.close()
                throw error
            }
        case .peripheralServer:
            let link = try await radio.connect(to: GATTService(.mdocPeripheralServer(uuid)))
            try await link.signal(BLEStateValue.start.rawValue)
            return link
        case .channel: return try await radio.connect(to: uuid, psm: Self.psm)
        }
    }
}
