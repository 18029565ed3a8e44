import NDEF
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    @Suite(
        "What bluetoothd refuses, on a bus of the test's own",
        .enabled(if: PrivateBus.isHere, PrivateBus.absence))
    struct RefusalTests {
        private static let service = BenchTests.service

        /// Runs `body` with a bluetoothd that refuses the calls in `refused` and allows all others.
        private func with(
            refused: [PeerRefusal],
            _ body: @escaping @Sendable (BlueZRadio, FakeBluetoothd) async throws -> Void
        ) async throws {
            try await PrivateBus.with { bus in
                let bluetoothd = try await FakeBluetoothd(on: bus) { _, method, _ in
                    refused.first { $0.call == method }.map { .error($0.name, $0.message) }
                }
                var configuration = BlueZConfiguration()
                configuration.bus = bus.address
                configuration.call = .seconds(5)
                try await body(BlueZRadio(configuration: configuration), bluetoothd)
                await bluetoothd.end()
            }
        }

        static let registrations = [
            PeerRefusal(
                call: "RegisterAdvertisement", name: "org.bluez.Error.Failed",
                message: "Failed to register advertisement"),
            PeerRefusal(
                call: "RegisterAdvertisement", name: "org.bluez.Error.NotPermitted",
                message: "Maximum advertisements reached"),
            PeerRefusal(call: "RegisterAdvertisement", name: "org.bluez.Error.InvalidLength", message: ""),
            PeerRefusal(
                call: "RegisterApplication", name: "org.bluez.Error.Failed",
                message: "Failed to create entry in database"),
            PeerRefusal(call: "RegisterApplication", name: "org.bluez.Error.NotReady", message: "\u{1b}[2J"),
        ]

        @Test(
            "Q239 A refused advertisement or service keeps bluetoothd's call, name and words, and leaves nothing",
            arguments: registrations)
        func registration(_ refusal: PeerRefusal) async throws {
            try await with(refused: [refusal]) { radio, bluetoothd in
                let fault = RadioFault(.registrationRefused, refusal)
                for _ in 0..<2 {
                    await #expect(throws: BluetoothLEError.radioUnavailable(fault)) {
                        try await radio.serve(Self.service)
                    }
                }
                #expect(bluetoothd.count("UnregisterApplication") == 2)
            }
        }

        @Test(
            "Q239 The twin: a service that bluetoothd allows is advertised, and withdrawn when it is closed")
        func allowed() async throws {
            try await with(refused: []) { radio, bluetoothd in
                try await radio.serve(Self.service).close()
                for call in ["RegisterApplication", "RegisterAdvertisement"] {
                    #expect(bluetoothd.count(call) == 1)
                    #expect(bluetoothd.count("Un" + call.lowercasedFirst) == 1)
                }
            }
        }

        @Test("Q239 A name that is not bluetoothd's own stays with the fault too")
        func busRefuses() async throws {
            let denied = PeerRefusal(
                call: "RegisterAdvertisement", name: "org.freedesktop.DBus.Error.AccessDenied",
                message: "Rejected send message")
            let unknown = PeerRefusal(
                call: "RegisterApplication", name: "org.freedesktop.DBus.Error.UnknownMethod", message: "no")
            for (refusal, id) in [(denied, RadioFaultID.accessDenied), (unknown, .failed)] {
                try await with(refused: [refusal]) { radio, _ in
                    await #expect(throws: BluetoothLEError.radioUnavailable(RadioFault(id, refusal))) {
                        try await radio.serve(Self.service)
                    }
                }
            }
        }

        @Test("Q239 An adapter that bluetoothd refuses to switch on keeps bluetoothd's words")
        func power() async throws {
            let refusal = PeerRefusal(
                call: "Set", name: "org.bluez.Error.Failed", message: "Blocked through rfkill")
            try await with(refused: [refusal]) { radio, bluetoothd in
                bluetoothd.change(
                    FakeBluetoothd.adapter, "org.bluez.Adapter1", ["Powered": .boolean(false)])
                while (try? await radio.checkReadiness()) != nil { await Task.yield() }
                let fault = RadioFault(.adapterOff, refusal)
                await #expect(throws: BluetoothLEError.radioUnavailable(fault)) {
                    try await radio.prepare()
                }
            }
        }

        @Test(
            "Q239 A refused search keeps bluetoothd's words",
            arguments: ["SetDiscoveryFilter", "StartDiscovery"])
        func search(_ call: String) async throws {
            for (name, id) in [
                ("org.bluez.Error.Failed", RadioFaultID.failed), ("org.bluez.Error.NotReady", .adapterOff),
            ] {
                let refusal = PeerRefusal(call: call, name: name, message: "Resource Not Ready")
                try await with(refused: [refusal]) { radio, _ in
                    await #expect(throws: BluetoothLEError.radioUnavailable(RadioFault(id, refusal))) {
                        try await radio.connect(to: Self.service)
                    }
                }
            }
        }

        @Test("Q239 A refused subscription keeps bluetoothd's words")
        func subscription() async throws {
            let refusals = ["AcquireNotify", "StartNotify"].map {
                PeerRefusal(
                    call: $0, name: "org.bluez.Error.NotSupported", message: "Operation is not supported")
            }
            try await PrivateBus.with { bus in
                let bluetoothd = try await FakeBluetoothd(on: bus) { bluetoothd, method, _ in
                    if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                    return refusals.first { $0.call == method }.map { .error($0.name, $0.message) }
                }
                var configuration = PeerConnectingTests.hurried
                configuration.bus = bus.address
                configuration.attempts = 1
                let error = BluetoothLEError.connectionFailed(ConnectionFault(.notSubscribed, refusals[1]))
                await #expect(throws: error) {
                    try await BlueZRadio(configuration: configuration).connect(to: Self.service)
                }
                await bluetoothd.end()
            }
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
