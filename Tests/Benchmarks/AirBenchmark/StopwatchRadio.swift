import Foundation
import NDEF
import Synchronization
import Transport

/// A radio that notes when its one link is used.
struct StopwatchRadio: BluetoothLERadio {
    let radio: any BluetoothLERadio
    let marks = Marks()

    func checkReadiness() async throws(BluetoothLEError) { try await radio.checkReadiness() }

    func settingsFault() async -> RadioFault? { await radio.settingsFault() }

    func prepare() async throws(BluetoothLEError) { try await radio.prepare() }

    func waitUntilReady() async throws(BluetoothLEError) { try await radio.waitUntilReady() }

    func serve(_ service: GATTService) async throws(BluetoothLEError) -> any BluetoothLEServer {
        StopwatchServer(server: try await radio.serve(service), marks: marks)
    }

    func connect(
        to service: GATTService, choosing choice: ChannelChoice?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        StopwatchLink(link: try await radio.connect(to: service, choosing: choice), marks: marks)
    }

    func connect(
        to uuid: BluetoothUUID, psm: UInt16
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        StopwatchLink(link: try await radio.connect(to: uuid, psm: psm), marks: marks)
    }
}

/// Instants of a presentation, in seconds since 1970.
final class Marks: Sendable {
    enum Name { case started, firstSent, lastReceived }

    private let instants = Mutex<[Name: Double]>([:])

    subscript(name: Name) -> Double? { instants.withLock { $0[name] } }

    func note(_ name: Name) {
        let now = Date().timeIntervalSince1970
        instants.withLock { $0[name] = now }
    }

    func noteFirst(_ name: Name) {
        if self[name] == nil { note(name) }
    }
}

private struct StopwatchServer: BluetoothLEServer {
    let server: any BluetoothLEServer
    let marks: Marks

    func setIdent(_ ident: [UInt8]) async { await server.setIdent(ident) }

    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        let link = try await server.link()
        marks.noteFirst(.started)
        return StopwatchLink(link: link, marks: marks)
    }

    func close() async { await server.close() }
}

private struct StopwatchLink: BluetoothLELink {
    let link: any BluetoothLELink
    let marks: Marks

    var kind: BluetoothLELinkKind { link.kind }
    var packetLimit: Int { get async { await link.packetLimit } }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        let packet = try await link.receive()
        if case .data = packet { marks.note(.lastReceived) }
        return packet
    }

    func interrupt() async { await link.interrupt() }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        try await link.send(head, body)
        marks.noteFirst(.firstSent)
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        marks.noteFirst(.started)
        try await link.signal(state)
    }

    func close() async { await link.close() }
}
