import BlueZBench
import Deadlines
import NDEF
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    /// Every test that needs bluetoothd: one after the other, for they share its adapter and some kill it.
    @Suite("With a real bluetoothd", .enabled(if: AirBench.isHere, AirBench.absence))
    struct BenchTests {
        static let service = phoneService(
            BluetoothUUID(high: 0x5a1e_0000_1234_4321, low: 0x8888_0123_4567_89ab))

        /// The characteristics of mdoc peripheral server mode.
        static func phoneService(_ uuid: BluetoothUUID) -> GATTService {
            GATTService(
                uuid: uuid, state: characteristic(1), clientToServer: characteristic(2),
                serverToClient: characteristic(3), ident: characteristic(8), psm: characteristic(10))
        }

        /// A characteristic of ISO/IEC 18013-5, by its number.
        static func characteristic(_ number: UInt64) -> BluetoothUUID {
            BluetoothUUID(high: number << 32 | 0xa123_48ce, low: 0x896b_4c76_9733_73e6)
        }

        /// Runs `body` with a phone on the air that serves the service, and answers each message with itself.
        func withPhone(
            _ options: [String] = [], uuid: BluetoothUUID = service.uuid,
            _ body: @escaping @Sendable (AirPhone) async throws -> Void
        ) async throws {
            // systemd would have done it if the last test's phone has ended bluetoothd.
            try await AirBench.control(.start)
            let phone = try AirPhone(.peripheral, uuid: uuid.description, options + ["--timeout", "300"])
            do {
                // The first phone of a run has to be loaded.
                try await phone.said("advertising", within: .seconds(120))
                try await withDeadline("the test", .seconds(600)) { try await body(phone) }
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

        /// Sends a message in pieces.
        static func send(_ message: [UInt8], over link: any BluetoothLELink) async throws {
            let limit = await link.packetLimit - 1
            var rest = message[...]
            while !rest.isEmpty {
                let part = rest.prefix(limit)
                rest = rest.dropFirst(limit)
                try await link.send(.byte(rest.isEmpty ? 0 : 1), part)
            }
        }

        /// Sends a message in pieces, and collects the echo.
        static func echo(_ message: [UInt8], over link: any BluetoothLELink) async throws -> [UInt8] {
            try await send(message, over: link)
            var answer: [UInt8] = []
            while true {
                guard case .data(let value) = try await link.receive() else { continue }
                answer += value.dropFirst()
                if value.first == 0 { return answer }
            }
        }

        static func message(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ 5) }
        }

    }
}
