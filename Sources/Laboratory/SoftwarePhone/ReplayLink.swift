internal import Synchronization
internal import Transport

/// A link on which the phone leaves after so many fragments of its answer.
final class ReplayLink: BluetoothLELink {
    private let link: any BluetoothLELink
    private let leavesAfter: UInt32
    private let sent = Mutex<UInt32>(0)

    init(_ link: any BluetoothLELink, leavesAfter: UInt32) {
        self.link = link
        self.leavesAfter = leavesAfter
    }

    var kind: BluetoothLELinkKind { link.kind }

    var packetLimit: Int { get async { await link.packetLimit } }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        try await link.receive()
    }

    func interrupt() async {
        await link.interrupt()
    }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        guard sent.withLock({ $0 < leavesAfter }) else {
            await link.close()
            throw .linkLost
        }
        try await link.send(head, body)
        sent.withLock { $0 += 1 }
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        try await link.signal(state)
    }

    func close() async {
        await link.close()
    }
}
