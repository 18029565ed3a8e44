import Deadlines
import Glibc
import NDEF
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

extension OneAfterAnother {
    @Suite(
        "Connecting to a phone, as bluetoothd makes it hard",
        .enabled(if: PrivateBus.isHere, PrivateBus.absence))
    struct PeerConnectingTests {
        static let service = BenchTests.service
        static let device = FakeBluetoothd.adapter + "/dev_1"

        /// Of a bluetoothd that answers at once.
        static let hurried = {
            var configuration = BlueZConfiguration()
            configuration.pause = .milliseconds(20)
            configuration.backOff = .milliseconds(20)
            configuration.resolution = .milliseconds(300)
            configuration.settling = .milliseconds(300)
            configuration.attempts = 4
            configuration.call = .seconds(2)
            return configuration
        }()

        /// Runs `body` with a radio on a bus with a bluetoothd of paper.
        func with(
            by configuration: BlueZConfiguration = hurried,
            _ behaviour: @escaping @Sendable (FakeBluetoothd, String, String) -> FakeBluetoothd.Reply? = {
                _, _, _ in nil
            },
            _ body: @escaping @Sendable (BlueZRadio, FakeBluetoothd) async throws -> Void
        ) async throws {
            try await PrivateBus.with { bus in
                let bluetoothd = try await FakeBluetoothd(on: bus, behaviour)
                var configuration = configuration
                configuration.bus = bus.address
                try await body(BlueZRadio(configuration: configuration), bluetoothd)
                #expect(bluetoothd.count("StartDiscovery") == bluetoothd.count("StopDiscovery"), "Q85")
                #expect(bluetoothd.devices == [], "Q114")
                await bluetoothd.end()
            }
        }

        func attempts(_ link: any BluetoothLELink) -> Int? {
            (link as? any BluetoothLEClientLink)?.attempts
        }

        @Test("Q84 Q97 A phone seen again and again is connected to once, when discovery has stopped")
        func once() async throws {
            try await with { bluetoothd, method, _ in
                if method == "StartDiscovery" {
                    for strength in [-80, -70, -60] as [Int16] {
                        bluetoothd.show("dev_1", uuid: Self.service.uuid, strength: strength)
                    }
                }
                return nil
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 1)
                #expect(await link.packetLimit == 97)
                await link.close()
                let order = [
                    "SetDiscoveryFilter hci0", "StartDiscovery hci0", "StopDiscovery hci0", "Connect dev_1",
                ]
                #expect(Array(bluetoothd.calls.prefix(4)) == order)
            }
        }

        @Test("Q108 An attempt that is aborted by the local side is repeated, and counted")
        func aborted() async throws {
            let failures = Mutex(2)
            try await with { bluetoothd, method, _ in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                guard method == "Connect",
                    failures.withLock({
                        $0 -= 1; return $0 >= 0
                    })
                else { return nil }
                return .error("org.bluez.Error.Failed", "le-connection-abort-by-local")
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 3)
                await link.close()
            }
        }

        @Test(
            "Q63 Attempts are bounded, and the last one's condition is named",
            arguments: [
                ("le-connection-abort-by-local", .aborted),
                ("br-connection-refused", .refused),
            ] as [(String, ConnectionFaultID)])
        func bounded(detail: String, fault: ConnectionFaultID) async throws {
            try await with { bluetoothd, method, _ in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                return method == "Connect" ? .error("org.bluez.Error.Failed", detail) : nil
            } _: { radio, bluetoothd in
                let refusal = PeerRefusal(call: "Connect", name: "org.bluez.Error.Failed", message: detail)
                let error = BluetoothLEError.connectionFailed(ConnectionFault(fault, refusal))
                await #expect(throws: error) {
                    try await radio.connect(to: Self.service)
                }
                #expect(bluetoothd.count("Connect") == 4)
            }
        }

        @Test("Q97 A phone that bluetoothd forgets when discovery stops is connected to while it goes on")
        func forgotten() async throws {
            try await with { bluetoothd, method, _ in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                if method == "StopDiscovery" && bluetoothd.count("StopDiscovery") == 1 {
                    bluetoothd.remove(Self.device)
                }
                return nil
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 2)
                await link.close()
                let steps = bluetoothd.calls.compactMap { $0.split(separator: " ").first }
                #expect(
                    steps.filter { ["StartDiscovery", "StopDiscovery", "Connect"].contains($0) } == [
                        "StartDiscovery", "StopDiscovery", "Connect", "StartDiscovery", "Connect",
                        "StopDiscovery",
                    ])
            }
        }

        @Test("Discovery in which nobody is heard begins anew, as bluetoothd's may have stopped hearing")
        func deaf() async throws {
            var configuration = Self.hurried
            configuration.discovery = .milliseconds(50)
            try await with(by: configuration) { bluetoothd, method, _ in
                if method == "StartDiscovery" && bluetoothd.count("StartDiscovery") == 3 {
                    bluetoothd.show("dev_1", uuid: Self.service.uuid)
                }
                return nil
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 1)
                await link.close()
                #expect(bluetoothd.count("StartDiscovery") == 3)
            }
        }

        @Test("Q104 Services that are resolved before they are shown are waited for")
        func shownLate() async throws {
            var patient = Self.hurried
            patient.settling = .seconds(5)
            try await with(by: patient) { bluetoothd, method, path in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                guard method == "Connect" else { return nil }
                bluetoothd.connect(path)
                bluetoothd.resolve(path)
                Task {
                    try await Task.sleep(for: .milliseconds(100))
                    bluetoothd.addService(Self.service, to: path)
                }
                return .values([])
            } _: { radio, _ in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 1)
                await link.close()
            }
        }

        @Test("Q104 Services that are never resolved end in an error of their own")
        func neverResolved() async throws {
            try await with { bluetoothd, method, path in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                guard method == "Connect" else { return nil }
                bluetoothd.connect(path)
                bluetoothd.addService(Self.service, to: path)
                return .values([])
            } _: { radio, _ in
                await #expect(throws: BluetoothLEError.connectionFailed(.servicesUnresolved)) {
                    try await radio.connect(to: Self.service)
                }
            }
        }

        @Test("Q82 A phone that leaves while it is asked is looked for again")
        func leavesEarly() async throws {
            let failures = Mutex(1)
            try await with { bluetoothd, method, path in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                guard method == "Connect",
                    failures.withLock({
                        $0 -= 1; return $0 >= 0
                    })
                else { return nil }
                bluetoothd.connect(path)
                bluetoothd.change(path, "org.bluez.Device1", ["Connected": .boolean(false)])
                return .values([])
            } _: { radio, _ in
                let link = try await radio.connect(to: Self.service)
                #expect(attempts(link) == 2)
                await link.close()
            }
        }

        @Test("Q118 The mirror of a phone at another adapter is not the phone, nor is one with another UUID")
        func mirror() async throws {
            try await with { bluetoothd, method, _ in
                if method == "StartDiscovery" {
                    bluetoothd.show("dev_1", at: "/org/bluez/hci1", uuid: Self.service.uuid)
                    bluetoothd.show("dev_2", uuid: BluetoothUUID(expanding: 0x180f))
                }
                return nil
            } _: { radio, bluetoothd in
                let search = Task { try await radio.connect(to: Self.service) }
                // Nothing more may come meanwhile, which only time can show.
                try await Task.sleep(for: .milliseconds(300))
                search.cancel()
                await #expect(throws: BluetoothLEError.cancelled) { try await search.value }
                #expect(bluetoothd.count("Connect") == 0)
                for device in bluetoothd.devices { bluetoothd.remove(device) }
            }
        }

        @Test("Q87 Of several phones with a short UUID the nearest is tried first, then the next")
        func nearest() async throws {
            let short = BenchTests.phoneService(BluetoothUUID(expanding: 0xfb12))
            // All three have been heard of before the first is chosen.
            var attentive = Self.hurried
            attentive.pause = .milliseconds(500)
            try await with(by: attentive) { bluetoothd, method, path in
                if method == "StartDiscovery" {
                    bluetoothd.show("dev_3", uuid: short.uuid, strength: -80)
                    bluetoothd.show("dev_2", uuid: short.uuid, strength: -40)
                    bluetoothd.show("dev_1", uuid: short.uuid, strength: -60)
                }
                guard method == "Connect" else { return nil }
                bluetoothd.connect(path)
                if path.hasSuffix("1") { bluetoothd.addService(short, to: path) }
                bluetoothd.resolve(path)
                return .values([])
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: short)
                #expect(
                    bluetoothd.calls.filter { $0.hasPrefix("Connect") } == ["Connect dev_2", "Connect dev_1"])
                await link.close()
            }
        }

        @Test(
            "Q110 If bluetoothd gives no sockets, values are sent through calls",
            arguments: ["InProgress", "NotSupported", "NotPermitted"])
        func noSockets(refusal: String) async throws {
            try await with { bluetoothd, method, path in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                return method.hasPrefix("Acquire") ? .error("org.bluez.Error." + refusal) : nil
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                #expect(await link.packetLimit == 20, "Q99")
                try await link.signal(1)
                try await link.send(.byte(0), [1, 2])
                let writes = bluetoothd.calls.filter { $0.hasPrefix("WriteValue") }
                #expect(writes == ["WriteValue state", "WriteValue clientToServer"])
                let interface = GATTServerObjects.characteristicInterface
                let path = Self.device + "/service1/"
                bluetoothd.change(path + "serverToClient", interface, ["Value": .bytes([1, 7])])
                bluetoothd.change(path + "serverToClient", interface, ["Value": .bytes([1, 7])])
                bluetoothd.change(path + "state", interface, ["Value": .bytes([2])])
                #expect(try await link.receive() == .data([1, 7]))
                #expect(try await link.receive() == .data([1, 7]))
                #expect(try await link.receive() == .state([2]))
                await link.close()
                let calls = bluetoothd.calls
                let removed = calls.firstIndex { $0.hasPrefix("RemoveDevice") } ?? 0
                #expect(calls[..<removed].contains("StopNotify serverToClient"), "Q81")
                #expect(calls[..<removed].contains("StopNotify state"), "Q81")
            }
        }

        /// A link over sockets whose other ends the test holds.
        private func withLink(
            by configuration: BlueZConfiguration = hurried,
            _ body: @escaping @Sendable (any BluetoothLELink, FakeBluetoothd) async throws -> Void
        ) async throws {
            try await with(by: configuration) { bluetoothd, method, _ in
                if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                return nil
            } _: { radio, bluetoothd in
                let link = try await radio.connect(to: Self.service)
                try await body(link, bluetoothd)
                await link.close()
            }
        }

        @Test("Data that came before a state is delivered before it, whichever socket is looked at first")
        func socketOrder() async throws {
            try await withLink { link, bluetoothd in
                let data = bluetoothd.socket("AcquireNotify serverToClient")
                let state = bluetoothd.socket("AcquireNotify state")
                for round in 0..<50 as Range<UInt8> {
                    for packet in [[1, round], [0, round]] as [[UInt8]] {
                        try #require(unsafe Glibc.send(data, packet, 2, 0) == 2)
                    }
                    try #require(unsafe Glibc.send(state, [round], 1, 0) == 1)
                    #expect(try await link.receive() == .data([1, round]))
                    #expect(try await link.receive() == .data([0, round]))
                    #expect(try await link.receive() == .state([round]))
                }
                try #require(unsafe Glibc.send(data, [0, 9] as [UInt8], 2, 0) == 2)
                bluetoothd.change(Self.device, "org.bluez.Device1", ["Connected": .boolean(false)])
                #expect(try await link.receive() == .data([0, 9]))
                await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
            }
        }

        @Test("Q75 Values wait for room in the socket; a wait ends with its task, and with the link")
        func fullSocket() async throws {
            try await withLink { link, bluetoothd in
                let sent = Mutex(0)
                let sending = Task {
                    while true {
                        try await link.send(.byte(1), [2, 3])
                        sent.withLock { $0 += 1 }
                    }
                }
                var (before, looks) = (0, 0)
                while before == 0 || looks < 3 {
                    try await Task.sleep(for: .milliseconds(100))
                    let now = sent.withLock { $0 }
                    looks = now == before ? looks + 1 : 0
                    before = now
                }
                await #expect(throws: BluetoothLEError.alreadyWaiting) { try await link.send(.byte(1), [4]) }
                let socket = bluetoothd.socket("AcquireWrite clientToServer")
                var packet: [UInt8] = [0, 0, 0, 0]
                for _ in 0..<before {
                    #expect(unsafe recv(socket, &packet, 4, 0) == 3)
                    #expect(packet == [1, 2, 3, 0])
                }
                try await until("room") { [before] in sent.withLock { $0 } > before }
                sending.cancel()
                await #expect(throws: BluetoothLEError.cancelled) { try await sending.value }
                let full = Task { while true { try await link.send(.byte(1), [2, 3]) } }
                // Nothing shows that the other task waits by now.
                try await Task.sleep(for: .milliseconds(300))
                await link.close()
                await #expect(throws: BluetoothLEError.linkLost) { try await full.value }
            }
        }

        @Test(
            "Neither a state nor data overtake the other: they wait until bluetoothd has taken it, or say that it hangs",
            arguments: [true, false])
        func inTurn(_ isStateFirst: Bool) async throws {
            try await withLink { link, bluetoothd in
                let state = (
                    socket: bluetoothd.socket("AcquireWrite state"), byte: isStateFirst ? 1 : 2 as UInt8,
                    send: { @Sendable in try await link.signal(isStateFirst ? 1 : 2) }
                )
                let data = (
                    socket: bluetoothd.socket("AcquireWrite clientToServer"), byte: 0 as UInt8,
                    send: { @Sendable in try await link.send(.byte(0), [7]) }
                )
                let (first, second) = isStateFirst ? (state, data) : (data, state)
                try await first.send()
                let sending = Task { try await second.send() }
                // Nothing more may come meanwhile, which only time can show.
                try await Task.sleep(for: .milliseconds(200))
                var byte: UInt8 = 9
                #expect(unsafe recv(second.socket, &byte, 1, Int32(MSG_DONTWAIT)) == -1)
                #expect(unsafe recv(first.socket, &byte, 1, 0) == 1 && byte == first.byte)
                try await sending.value
                #expect(unsafe recv(second.socket, &byte, 1, 0) == 1 && byte == second.byte)
                try await first.send()
                await #expect(throws: BluetoothLEError.radioUnavailable(.daemonHung)) {
                    try await second.send()
                }
            }
        }

        @Test("Q117 Sockets that end before bluetoothd's end is known are not taken for the phone's end")
        func socketsFirst() async throws {
            var patient = Self.hurried
            patient.lossReportDelay = .seconds(5)
            try await withLink(by: patient) { link, bluetoothd in
                bluetoothd.closeSockets()
                let sending = Task { try await link.send(.byte(0), [1]) }
                // Nothing shows that the other task waits by now.
                try await Task.sleep(for: .milliseconds(100))
                await bluetoothd.end()
                let lost = BluetoothLEError.radioUnavailable(.daemonLost)
                await #expect(throws: lost) { try await link.receive() }
                await #expect(throws: lost) { try await sending.value }
                for device in bluetoothd.devices { bluetoothd.remove(device) }
            }
        }

        @Test("The twin: sockets that end while bluetoothd lives are the phone's end")
        func socketsOnly() async throws {
            try await withLink { link, bluetoothd in
                bluetoothd.closeSockets()
                await #expect(throws: BluetoothLEError.linkLost) { try await link.send(.byte(0), [1]) }
                await #expect(throws: BluetoothLEError.linkLost) { try await link.receive() }
            }
        }

        @Test(
            "Q114 Q117 A phone that could not be forgotten is forgotten when bluetoothd is back, and only this phone"
        )
        func leftBehind() async throws {
            try await PrivateBus.with { bus in
                let show: @Sendable (FakeBluetoothd, String, String) -> FakeBluetoothd.Reply? = {
                    bluetoothd, method, _ in
                    if method == "StartDiscovery" { bluetoothd.show("dev_1", uuid: Self.service.uuid) }
                    return nil
                }
                let first = try await FakeBluetoothd(on: bus, show)
                var configuration = BlueZConfiguration()
                configuration.bus = bus.address
                let radio = BlueZRadio(configuration: configuration)
                let link = try await radio.connect(to: Self.service)
                await first.end()
                await #expect(throws: BluetoothLEError.radioUnavailable(.daemonLost)) {
                    try await link.receive()
                }
                await link.close()
                let second = try await FakeBluetoothd(on: bus)
                second.show("dev_1", uuid: Self.service.uuid)
                second.show("dev_2", uuid: Self.service.uuid)
                try await until("one device") { second.devices.count == 1 }
                #expect(second.devices == [FakeBluetoothd.adapter + "/dev_2"])
                second.show("dev_1", uuid: Self.service.uuid)
                // Nothing more may come meanwhile, which only time can show.
                try await Task.sleep(for: .milliseconds(200))
                #expect(second.count("RemoveDevice") == 1, "whoever comes anew is somebody else")
                await second.end()
            }
        }

        @Test("A look at an adapter changes nothing of it, and names one that is off")
        func checkReadiness() async throws {
            try await with({ _, _, _ in nil }) { radio, bluetoothd in
                try await radio.checkReadiness()
                bluetoothd.change(
                    FakeBluetoothd.adapter, "org.bluez.Adapter1",
                    ["Powered": .boolean(false), "Pairable": .boolean(true)])
                try await until("an adapter that is off") { (try? await radio.checkReadiness()) == nil }
                await #expect(throws: BluetoothLEError.radioUnavailable(.adapterOff)) {
                    try await radio.checkReadiness()
                }
                #expect(bluetoothd.count("Set ") == 0)
                try await radio.prepare()
                #expect(bluetoothd.count("Set ") == 2)
            }
        }

        @Test("A forged signal of a stranger on the bus is not believed")
        func forged() async throws {
            try await PrivateBus.with { bus in
                let bluetoothd = try await FakeBluetoothd(on: bus)
                var configuration = BlueZConfiguration()
                configuration.bus = bus.address
                let radio = BlueZRadio(configuration: configuration)
                let search = Task { try await radio.connect(to: Self.service) }
                try await until("a search") { bluetoothd.count("StartDiscovery") > 0 }
                let stranger = try await bus.connect().bus
                let device: [String: BusValue] = [
                    "Address": .string("C0:00:00:00:00:09"),
                    "UUIDs": .strings([Self.service.uuid.description]),
                    "RSSI": .int16(-20),
                ]
                await stranger.emit(
                    "/", BusMember("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"),
                    [.path(FakeBluetoothd.adapter + "/dev_9"), .interfaces(["org.bluez.Device1": device])])
                // Nothing more may come meanwhile, which only time can show.
                try await Task.sleep(for: .milliseconds(300))
                search.cancel()
                await #expect(throws: BluetoothLEError.cancelled) { try await search.value }
                #expect(bluetoothd.count("Connect") == 0)
                await bluetoothd.end()
            }
        }
    }
}
