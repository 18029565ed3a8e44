import Deadlines
import NDEF
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    @Suite(
        "A bluetoothd that hangs, on a bus of the test's own",
        .enabled(if: PrivateBus.isHere, PrivateBus.absence))
    struct HungDaemonTests {
        private static let service = BenchTests.service
        /// Far below the limit of one call, and above the timeout of a ping.
        private static let soon = Duration.seconds(10)

        /// Runs `body` with a bluetoothd whose calls may take a minute.
        private func with(
            _ behaviour: @escaping @Sendable (String) -> FakeBluetoothd.Reply? = { _ in nil },
            _ body: @escaping @Sendable (BlueZRadio, FakeBluetoothd) async throws -> Void
        ) async throws {
            try await PrivateBus.with { bus in
                let bluetoothd = try await FakeBluetoothd(on: bus) { _, method, _ in behaviour(method) }
                var configuration = BlueZConfiguration()
                configuration.bus = bus.address
                configuration.call = .seconds(60)
                try await body(BlueZRadio(configuration: configuration), bluetoothd)
                await bluetoothd.end()
            }
        }

        private static func time(_ body: () async throws -> Void) async rethrows -> Duration {
            let start = ContinuousClock.now
            try await body()
            return ContinuousClock.now - start
        }

        @Test(
            "Q246 Closing a service waits only briefly for a hung bluetoothd, which gets each call when it runs again"
        )
        func closed() async throws {
            try await with { radio, bluetoothd in
                let server = try await radio.serve(Self.service)
                bluetoothd.hang()
                let time = await Self.time {
                    await server.close()
                    await server.close()
                }
                bluetoothd.resume()
                #expect(time < Self.soon)
                try await until("what was begun is undone") {
                    bluetoothd.count("UnregisterAdvertisement") == 1
                        && bluetoothd.count("UnregisterApplication") == 1
                }
                // The next service is not held up, and stands at the first place of the table again.
                try await radio.serve(Self.service).close()
                #expect(bluetoothd.count("UnregisterApplication") == 2)
            }
        }

        @Test("Q246 Who gives up on a hung bluetoothd is free within a moment, and nothing is left behind")
        func cancelled() async throws {
            try await with { radio, bluetoothd in
                try await radio.serve(Self.service).close()
                bluetoothd.hang()
                let serving = Task { try await radio.serve(Self.service) }
                // Nothing shows that the other task waits by now.
                try await Task.sleep(for: .milliseconds(200))
                let time = await Self.time {
                    serving.cancel()
                    _ = await serving.result
                }
                bluetoothd.resume()
                #expect(time < Self.soon)
                try await until("what was begun is undone") {
                    bluetoothd.count("RegisterApplication") == 2
                        && bluetoothd.count("UnregisterApplication") == 2
                }
                await #expect(throws: BluetoothLEError.cancelled) { try await serving.value }
            }
        }

        @Test("Q246 A search that is given up ends within a moment, and discovers nothing afterwards")
        func search() async throws {
            try await with { radio, bluetoothd in
                try await radio.prepare()
                bluetoothd.hang()
                let searching = Task { try await radio.connect(to: Self.service) }
                // Nothing shows that the other task waits by now.
                try await Task.sleep(for: .milliseconds(200))
                let time = await Self.time {
                    searching.cancel()
                    _ = await searching.result
                }
                bluetoothd.resume()
                #expect(time < Self.soon)
                try await until("the calls are handled") { bluetoothd.count("StopDiscovery") == 1 }
                // The search of the next customer is the first that begins.
                let next = Task { try await radio.connect(to: Self.service) }
                try await until("the next search") { bluetoothd.count("StartDiscovery") == 1 }
                next.cancel()
                _ = await next.result
                #expect(bluetoothd.count("StartDiscovery") == 1 && bluetoothd.count("StopDiscovery") == 2)
            }
        }

        @Test("Q246 A discovery that starts after its search was given up is stopped again")
        func lateStart() async throws {
            let behaviour: @Sendable (String) -> FakeBluetoothd.Reply? = {
                $0 == "StartDiscovery" ? .late(.milliseconds(300)) : nil
            }
            try await with(behaviour) { radio, bluetoothd in
                try await radio.prepare()
                let searching = Task { try await radio.connect(to: Self.service) }
                try await until("the start") { bluetoothd.count("StartDiscovery") == 1 }
                bluetoothd.hang()
                searching.cancel()
                _ = await searching.result
                bluetoothd.resume()
                // The first comes before the answer to the start.
                try await until("the second stop") { bluetoothd.count("StopDiscovery") == 2 }
                #expect(bluetoothd.count("StartDiscovery") == 1)
            }
        }

        @Test(
            "Q246 A look at a radio that was there names a bluetoothd that hangs, and finds it well afterwards"
        )
        func checkReadiness() async throws {
            try await with { radio, bluetoothd in
                try await radio.checkReadiness()
                bluetoothd.hang()
                for _ in 0..<2 {
                    await #expect(throws: BluetoothLEError.radioUnavailable(.daemonHung)) {
                        try await radio.checkReadiness()
                    }
                }
                bluetoothd.resume()
                try await until("bluetoothd answers") { (try? await radio.checkReadiness()) != nil }
            }
        }

        @Test("The twin: a bluetoothd that is slow and answers pings is waited for")
        func slow() async throws {
            let behaviour: @Sendable (String) -> FakeBluetoothd.Reply? = {
                $0 == "UnregisterAdvertisement" ? .late(Daemon.pingTimeout * 2) : nil
            }
            try await with(behaviour) { radio, bluetoothd in
                let server = try await radio.serve(Self.service)
                let time = await Self.time { await server.close() }
                #expect(time >= Daemon.pingTimeout * 2)
                #expect(bluetoothd.count("UnregisterApplication") == 1)
            }
        }
    }
}
