import BlueZBench
import BlueZTransport
import Deadlines
import MdocSession
import NDEF
import PresentationStage
import ReaderService
import Transport

/// The floor: a bare link that asks with one packet, and a phone without a wallet that answers with so many bytes.
enum RawEcho {
    /// From the answer's first packet to its last.
    @discardableResult
    static func run(_ way: Way, bytes: Int) async throws -> Duration {
        let uuid = BluetoothUUID(
            high: .random(in: .min ... .max) & ~0xf000 | 0x4000,
            low: .random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62)
        let phone = try AirPhone(
            way.mode, uuid: "\(uuid)", ["--raw-echo", "\(bytes)"] + way.phoneOptions)
        do {
            let link = try await way.link(by: .onBench, to: uuid)
            let time = try await answer(over: link, bytes: bytes)
            if link.kind != .l2cap { try await link.signal(BLEStateValue.end.rawValue) }
            await link.close()
            _ = try? await phone.end(within: .seconds(20))
            await phone.leave()
            return time
        } catch {
            await phone.leave()
            throw error
        }
    }

    private static func answer(over link: any BluetoothLELink, bytes: Int) async throws -> Duration {
        let request = [UInt8](repeating: 0x5a, count: 400)
        let isChannel = link.kind == .l2cap
        try await link.send(isChannel ? .length(UInt32(request.count)) : .byte(0), request[...])
        var missing = bytes + (isChannel ? 4 : 0)
        var first: ContinuousClock.Instant?
        while missing > 0 {
            guard case .data(let packet) = try await link.receive() else { throw Overdue("an echo") }
            if first == nil { first = .now }
            missing -= packet.count - (isChannel ? 0 : 1)
        }
        return (first ?? .now).duration(to: .now)
    }
}
