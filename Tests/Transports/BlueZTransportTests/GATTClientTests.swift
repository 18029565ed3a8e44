import Foundation
import Glibc
import NDEF
import Testing
import Transport

@testable import BlueZTransport

/// Every test that needs bluetoothd: one after the other, for they share its adapter and some kill it.
@Suite("With a real bluetoothd", .serialized, .enabled(if: BlueZBench.isHere, BlueZBench.absence))
struct BenchTests {
    static let service = phoneService(BluetoothUUID(high: 0x5a1e_0000_1234_4321, low: 0x8888_0123_4567_89ab))

    /// The characteristics of mdoc peripheral server mode.
    static func phoneService(_ uuid: BluetoothUUID) -> GATTService {
        func of(_ number: UInt64) -> BluetoothUUID {
            BluetoothUUID(high: number << 32 | 0xa123_48ce, low: 0x896b_4c76_9733_73e6)
        }
        return GATTService(
            uuid: uuid, state: of(1), clientToServer: of(2), serverToClient: of(3), ident: of(8), psm: of(10))
    }

    /// Runs `body` with a phone on the air that serves the service.
    func withPhone(
        _ uuid: BluetoothUUID = service.uuid, _ options: [String] = [],
        _ body: @escaping @Sendable (BenchProcess) async throws -> Void
    ) async throws {
        let python = try #require(BlueZBench.environment("COUNTERSIGN_BENCH_PYTHON"))
        let peer = try #require(BlueZBench.environment("COUNTERSIGN_BENCH_PEER"))
        let phone = try BenchProcess([python, "-B", peer, uuid.description] + options)
        do {
            try await phone.line(with: "READY")
            try await withDeadline("the test", .seconds(90)) { try await body(phone) }
        } catch {
            await phone.leave()
            print(phone.lines.joined(separator: "\n"))
            throw error
        }
        await phone.leave()
    }

    /// Looks at bluetoothd with eyes of its own: nothing of ours may be left there.
    func expectNothingLeft(_ location: SourceLocation = #_sourceLocation) async throws {
        let daemon = try await Daemon.connect(limit: .seconds(5))
        let adapter = try await daemon.adapter(named: nil)
        #expect(await daemon.devices(at: adapter).isEmpty, sourceLocation: location)
        #expect(
            await daemon.properties(adapter, "org.bluez.Adapter1")?["Discovering"]?.flag == false,
            sourceLocation: location)
        await daemon.bus.close()
    }

    /// Sends a message in pieces, and collects the echo.
    static func echo(_ message: [UInt8], over link: any BluetoothLELink) async throws -> [UInt8] {
        let limit = await link.packetLimit - 1
        var rest = message[...]
        while !rest.isEmpty {
            let part = rest.prefix(limit)
            rest = rest.dropFirst(limit)
            try await link.send(.byte(rest.isEmpty ? 0 : 1), part)
        }
        var answer: [UInt8] = []
        while true {
            guard case .data(let value) = try await link.receive() else { continue }
            answer += value.dropFirst()
            if value.first == 0 { return answer }
        }
    }

    static func message(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 5) } }

    @Test("Q84 A phone is found, connected to once, spoken with, and leaves nothing behind")
    func wholeLink() async throws {
        try await withPhone(Self.service.uuid, ["--ident", "0102", "--psm", "00000081"]) { phone in
            let radio = BlueZRadio()
            let started = ContinuousClock.now
            let link = try await radio.connect(to: Self.service)
            let client = try #require(link as? any BluetoothLEClientLink)
            print("connected after \(ContinuousClock.now - started), limit \(await link.packetLimit)")
            #expect(client.attempts == 1)
            #expect(try await client.readIdent() == [1, 2])
            #expect(try await client.readPSM() == [0, 0, 0, 0x81])
            try await link.signal(0x01)
            for size in [20, 25_000, 90_000] {
                let began = ContinuousClock.now
                #expect(try await Self.echo(Self.message(size), over: link) == Self.message(size))
                print("\(size) bytes both ways in \(ContinuousClock.now - began)")
            }
            try await link.signal(0x02)
            try await phone.line(with: "state 02")
            let closing = ContinuousClock.now
            await link.close()
            print("closed after \(ContinuousClock.now - closing)")
            try await phone.line(with: "disconnected")
            let lines = phone.lines
            let leaving = lines.firstIndex { $0.contains("disconnected") } ?? 0
            let unsubscribed = lines[..<leaving].filter { $0.contains("unsubscribed") }
            #expect(unsubscribed.count == 2, "Q81")
            #expect(lines.filter { $0.contains("connected 1 ") }.count == 1)
            print(lines.joined(separator: "\n"))
            await #expect(throws: BluetoothLEError.linkLost) { try await link.send(.none, [1]) }
        }
        try await expectNothingLeft()
    }
}
