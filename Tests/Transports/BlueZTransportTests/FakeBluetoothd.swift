import Dispatch
import Glibc
import NDEF
import Synchronization
import Testing
import Transport

@testable import BlueZTransport

/// A bluetoothd of paper on a bus of the test's own, for what a real one does only now and then.
final class FakeBluetoothd: Sendable {
    enum Reply {
        case values([BusValue])
        case error(_ name: String, _ detail: String = "")
        /// The usual answer, without values, after this time.
        case late(Duration)
    }

    static let adapter = "/org/bluez/hci0"
    static let characteristics = GATTServerObjects.Characteristic.self

    private struct State {
        var objects: [String: BusInterfaces] = [:]
        var calls: [String] = []
        var sockets: [String: Int32] = [:]
    }

    private let bus: Bus
    private let state = Mutex(State())
    /// What a test wants done differently, by method and path; nil leaves it to the usual.
    private let behaviour: @Sendable (FakeBluetoothd, _ method: String, _ path: String) -> Reply?
    private let registration = Mutex<Bus.Registration?>(nil)

    init(
        on privateBus: PrivateBus,
        _ behaviour: @escaping @Sendable (FakeBluetoothd, _ method: String, _ path: String) -> Reply? = {
            _, _, _ in nil
        }
    ) async throws {
        bus = try await privateBus.connect(as: "org.bluez").bus
        self.behaviour = behaviour
        addAdapter()
        let exported = try await bus.export("/") { [weak self] message in self?.called(message) ?? false }
        registration.withLock { $0 = exported }
    }

    func end() async {
        closeSockets()
        await bus.close()
    }

    /// Handles nothing until `resume`, as a process that was stopped by SIGSTOP.
    func hang() { bus.queue.queue.suspend() }

    func resume() { bus.queue.queue.resume() }

    /// The methods that were called, with the last component of the path, in order.
    var calls: [String] { state.withLock { $0.calls } }

    /// The peers it knows.
    var devices: [String] {
        state.withLock { $0.objects.filter { $0.value["org.bluez.Device1"] != nil }.map(\.key) }
    }

    /// Its end of the socket it gave for a call; -1 before.
    func socket(_ call: String) -> Int32 { state.withLock { $0.sockets[call] ?? -1 } }

    /// Ends the sockets, as a real one's end.
    func closeSockets() {
        let sockets = state.withLock { state in
            defer { state.sockets = [:] }
            return state.sockets.values.map { $0 }
        }
        for socket in sockets { close(socket) }
    }

    func count(_ call: String) -> Int { calls.count { $0.hasPrefix(call) } }

    // MARK: - Objects

    func add(_ path: String, _ interfaces: BusInterfaces) {
        state.withLock { $0.objects[path, default: [:]].merge(interfaces) { $1 } }
        emit(
            "/", BusMember("org.freedesktop.DBus.ObjectManager", "InterfacesAdded"),
            [.path(path), .interfaces(interfaces)])
    }

    func addAdapter(isOn: Bool = true) {
        add(
            Self.adapter,
            [
                "org.bluez.Adapter1": [
                    "Powered": .boolean(isOn), "Pairable": .boolean(false),
                    "Address": .string("00:11:22:33:44:55"),
                ], "org.bluez.LEAdvertisingManager1": [:],
            ])
    }

    func switchAdapter(on isOn: Bool) {
        change(Self.adapter, "org.bluez.Adapter1", ["Powered": .boolean(isOn)])
    }

    func remove(_ path: String) {
        let gone = state.withLock { state in
            let gone = state.objects.filter { $0.key == path || $0.key.hasPrefix(path + "/") }
            for path in gone.keys { state.objects[path] = nil }
            return gone
        }
        for (path, interfaces) in gone {
            emit(
                "/", BusMember("org.freedesktop.DBus.ObjectManager", "InterfacesRemoved"),
                [.path(path), .strings(Array(interfaces.keys))])
        }
    }

    func change(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
        state.withLock { $0.objects[path]?[interface]?.merge(properties) { $1 } }
        emit(
            path, BusMember("org.freedesktop.DBus.Properties", "PropertiesChanged"),
            [.string(interface), .map(properties), .strings([])])
    }

    private func emit(_ path: String, _ member: BusMember, _ values: [BusValue]) {
        let bus = bus
        bus.queue.queue.async { bus.assumeIsolated { $0.emit(path, member, values) } }
    }

    // MARK: - Peers

    /// Lets a peer be seen.
    func show(_ name: String, at adapter: String = adapter, uuid: BluetoothUUID, strength: Int16 = -60) {
        add(
            "\(adapter)/\(name)",
            [
                "org.bluez.Device1": [
                    "Address": .string("C0:00:00:00:00:0\(name.suffix(1))"), "AddressType": .string("random"),
                    "UUIDs": .strings([uuid.description]), "RSSI": .int16(strength),
                    "Connected": .boolean(false), "Paired": .boolean(false),
                    "ServicesResolved": .boolean(false),
                ]
            ])
    }

    func connect(_ device: String) { change(device, "org.bluez.Device1", ["Connected": .boolean(true)]) }

    func disconnect(_ device: String) { change(device, "org.bluez.Device1", ["Connected": .boolean(false)]) }

    /// Lets a peer be known without being heard.
    func silence(_ device: String) {
        state.withLock { $0.objects[device]?["org.bluez.Device1"]?["RSSI"] = nil }
        emit(
            device, BusMember("org.freedesktop.DBus.Properties", "PropertiesChanged"),
            [.string("org.bluez.Device1"), .map([:]), .strings(["RSSI"])])
    }

    func resolve(_ device: String) {
        change(device, "org.bluez.Device1", ["ServicesResolved": .boolean(true)])
    }

    /// - Parameter others: its characteristics beside those that every service has.
    func addService(
        _ service: GATTService, to device: String,
        with others: [GATTServerObjects.Characteristic] = []
    ) {
        add(device + "/service1", ["org.bluez.GattService1": ["UUID": .string(service.uuid.description)]])
        for characteristic in [.state, .clientToServer, .serverToClient] + others {
            let uuid = service.uuid(of: characteristic)?.description ?? ""
            add(
                device + "/service1/" + characteristic.rawValue,
                [
                    GATTServerObjects.characteristicInterface: [
                        "UUID": .string(uuid), "Flags": .strings(["notify", "write-without-response"]),
                    ]
                ])
        }
    }

    // MARK: - Calls

    private func called(_ message: BusMessage) -> Bool {
        let (method, path) = (message.member, message.path)
        if method == "GetManagedObjects" {
            answer(message, .values([.objects(state.withLock { $0.objects })]))
            return true
        }
        state.withLock { $0.calls.append("\(method) \(path.split(separator: "/").last ?? "")") }
        answer(message, behaviour(self, method, path) ?? usual(message))
        return true
    }

    private func usual(_ message: BusMessage) -> Reply {
        let path = message.path
        switch message.member {
        case "Connect":
            guard state.withLock({ $0.objects[path] }) != nil else {
                return .error("org.freedesktop.DBus.Error.UnknownObject")
            }
            connect(path)
            addService(OneAfterAnother.BenchTests.service, to: path)
            resolve(path)
        case "RemoveDevice":
            let adapter = state.withLock { $0.objects[path]?["org.bluez.Adapter1"] }
            guard let adapter else { return .error("org.freedesktop.DBus.Error.UnknownObject") }
            guard adapter["Powered"]?.flag == true else { return .error("org.bluez.Error.NotReady") }
            if let device = (try? message.values())?.first?.text { remove(device) }
        case "AcquireNotify", "AcquireWrite":
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
            guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
                return .error("org.bluez.Error.Failed")
            }
            let call = "\(message.member) \(path.split(separator: "/").last ?? "")"
            state.withLock { $0.sockets[call] = ends[0] }
            return .values([.descriptor(BusDescriptor(owning: ends[1])), .uint16(100)])
        default: break
        }
        return .values([])
    }

    private func answer(_ message: BusMessage, _ reply: Reply) {
        bus.assumeIsolated { bus in
            switch reply {
            case .values(let values): bus.answer(message, values)
            case .error(let name, let detail): bus.refuse(message, name, detail)
            case .late(let time):
                Task {
                    try await Task.sleep(for: time, clock: .continuous)
                    await self.bus.answer(message, [])
                }
            }
        }
    }
}
