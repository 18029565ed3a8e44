internal import Synchronization

/// bluetoothd, seen through one connection to the bus: its adapters, and what happens to them and their peers.
///
/// Signals of others than the owner of `org.bluez` are not believed.
actor Daemon {
    static let name = "org.bluez"

    nonisolated let bus: Bus
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe bus.unownedExecutor }
    private let limit: Duration
    /// The bus's name for the bluetoothd that runs now.
    private var owner: String?
    private var objects: [String: BusInterfaces] = [:]
    private var registrations: [Bus.Registration] = []
    private var listeners: [ObjectIdentifier: @Sendable (DaemonEvent) -> Void] = [:]
    /// Peers with which a transaction of ours is under way.
    private var taken: Set<String> = []

    private let leftBehind: PeersLeftBehind
    private var tablePlaces: Set<Int> = []
    /// The ping that bluetoothd has not answered yet; nil if none is under way.
    private(set) var openPing: Ping?

    private init(_ bus: Bus, limit: Duration, leftBehind: PeersLeftBehind) {
        self.bus = bus
        self.limit = limit
        self.leftBehind = leftBehind
    }

    /// Connects to the bus, by default the system's, and reads the current state. It is not an error yet if
    /// bluetoothd is not running (Q119).
    ///
    /// - Parameter leftBehind: peers to be removed as soon as bluetoothd has them again.
    static func connect(
        limit: Duration, bus address: String? = nil, leftBehind: PeersLeftBehind = PeersLeftBehind()
    ) async throws(BlueZTransportError)
        -> Daemon
    {
        do throws(BusError) {
            let daemon = Daemon(try await Bus.connect(to: address), limit: limit, leftBehind: leftBehind)
            try await daemon.begin()
            return daemon
        } catch {
            throw error == .disconnected ? .busNotRunning : BlueZTransportError(error)
        }
    }

    nonisolated var isConnected: Bool { get async { await bus.isConnected } }

    private func begin() async throws(BusError) {
        try await bus.watchDaemon(self)
        do throws(BusError) {
            let answer = try await bus.call(
                "org.freedesktop.DBus", "/org/freedesktop/DBus",
                BusMember("org.freedesktop.DBus", "GetNameOwner"), [.string(Self.name)], within: limit)
            owner = answer.first?.text
        } catch .noSuchService {
            return
        }
        try await takeStock()
    }

    /// Reads the objects of a daemon that has just appeared, or ran before we connected.
    private func takeStock() async throws(BusError) {
        do throws(BusError) {
            _ = try await bus.call(
                Self.name, "/", BusMember("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
                within: limit
            ) { [weak self] answer in
                // Before any signal that came later changes what is there.
                guard case .objects(let objects)? = answer.first else { return }
                self?.assumeIsolated {
                    $0.objects = objects
                    for path in objects.keys { $0.forgetLeftBehind(at: path) }
                }
            }
        } catch .noSuchService {
            owner = nil
        }
    }

    // MARK: - Asking

    /// Whether a name on the bus is that of the bluetoothd that runs now.
    func isDaemon(_ sender: String) -> Bool { sender == owner }

    func call(
        _ path: String, _ interface: String, _ name: String, _ arguments: [BusValue] = [],
        within limit: Duration? = nil
    ) async throws(BusError) -> [BusValue] {
        try await bus.call(
            Self.name, path, BusMember(interface, name), arguments, within: limit ?? self.limit)
    }

    func set(_ path: String, _ interface: String, _ name: String, _ value: BusValue) async throws(BusError) {
        _ = try await call(
            path, "org.freedesktop.DBus.Properties", "Set",
            [.string(interface), .string(name), .variant(value)])
    }

    /// A ping, which bluetoothd answers once it runs, however long it hung before.
    struct Ping {
        let sent: ContinuousClock.Instant
        let answer: Task<Void, Never>
    }

    /// Returns the ping that is under way, or sends one.
    @discardableResult
    func ping() -> Ping {
        if let openPing { return openPing }
        let answer = Task { [weak self, bus] in
            _ = try? await bus.call(
                Self.name, "/", BusMember("org.freedesktop.DBus.Peer", "Ping"), within: .seconds(3600))
            await self?.pingEnded()
        }
        let ping = Ping(sent: .now, answer: answer)
        openPing = ping
        return ping
    }

    private func pingEnded() { openPing = nil }

    /// The properties of an object, as far as bluetoothd has reported them.
    func properties(_ path: String, _ interface: String) -> [String: BusValue]? {
        objects[path]?[interface]
    }

    func paths(_ interface: String, below path: String = "/org/bluez") -> [String] {
        objects.filter { $0.value[interface] != nil && $0.key.hasPrefix(path + "/") }.map(\.key).sorted()
    }

    /// The adapter of that name, or the first that can advertise.
    ///
    /// - Throws: `daemonNotRunning`, `noAdapter`, `adapterMissing`, `busLost`.
    func adapter(named name: String?) throws(BlueZTransportError) -> String {
        guard owner != nil else { throw .daemonNotRunning }
        let able = paths("org.bluez.LEAdvertisingManager1").filter {
            objects[$0]?["org.bluez.Adapter1"] != nil
        }
        if let name {
            guard let path = able.first(where: { $0 == "/org/bluez/" + name }) else {
                throw .adapterMissing(name)
            }
            return path
        }
        guard let first = able.first else { throw .noAdapter }
        return first
    }

    /// The first place that no other server of this connection holds in bluetoothd's attribute table, until it is left.
    func takeTablePlace() -> Int {
        var place = 0
        while tablePlaces.contains(place) { place += 1 }
        tablePlaces.insert(place)
        return place
    }

    func leaveTablePlace(_ place: Int) { tablePlaces.remove(place) }

    // MARK: - Peers

    /// The peers an adapter knows, with their properties.
    func devices(at adapter: String) -> [String: [String: BusValue]] {
        var devices: [String: [String: BusValue]] = [:]
        for path in paths("org.bluez.Device1", below: adapter) {
            devices[path] = properties(path, "org.bluez.Device1")
        }
        return devices
    }

    /// Whether a peer is connected, not paired with this computer, and in no transaction of ours.
    func isStranger(_ device: String) -> Bool {
        let properties = objects[device]?["org.bluez.Device1"]
        return properties?["Connected"]?.flag == true && properties?["Paired"]?.flag != true
            && !taken.contains(device)
    }

    func unknownDevices(at adapter: String) -> [String] {
        paths("org.bluez.Device1", below: adapter).filter(isStranger)
    }

    /// Begins a transaction with a peer.
    func take(_ device: String) {
        taken.insert(device)
        leftBehind.remove(device)
    }

    /// Ends a connection and removes the peer: its address will not come again, and what bluetoothd remembers of it would
    /// only grow old (Q79, Q114). If that is not possible now, it is done when bluetoothd has the peer again.
    func remove(_ device: String, at adapter: String) async {
        taken.remove(device)
        await forget(device, at: adapter)
    }

    private func forget(_ device: String, at adapter: String) async {
        await finishing { [leftBehind] in
            do throws(BusError) {
                _ = try await self.call(adapter, "org.bluez.Adapter1", "RemoveDevice", [.path(device)])
            } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.DoesNotExist") {
            } catch {
                leftBehind.insert(device)
            }
        }
    }

    /// Forgets the peer at a path, or the peers of the adapter there, if they were left behind. bluetoothd removes none
    /// while the adapter is off.
    func forgetLeftBehind(at path: String) {
        guard objects[path]?["org.bluez.Adapter1"] == nil else {
            for device in paths("org.bluez.Device1", below: path) { forgetLeftBehind(at: device) }
            return
        }
        guard let end = path.lastIndex(of: "/") else { return }
        let adapter = String(path[..<end])
        Task {
            // Only now: the peer may be taken or connect before the task runs.
            guard isForgettable(path, at: adapter), leftBehind.remove(path) else { return }
            await forget(path, at: adapter)
        }
    }

    /// Whether bluetoothd can forget the peer, and nobody uses it. A peer that was paired since belongs to somebody else.
    private func isForgettable(_ path: String, at adapter: String) -> Bool {
        guard let device = objects[path]?["org.bluez.Device1"] else { return false }
        return device["Connected"]?.flag != true && device["Paired"]?.flag != true
            && objects[adapter]?["org.bluez.Adapter1"]?["Powered"]?.flag == true
    }

    // MARK: - Listening

    func listen(
        _ owner: AnyObject, _ body: @escaping @Sendable (DaemonEvent) -> Void
    ) {
        listeners[ObjectIdentifier(owner)] = body
    }

    func stopListening(_ owner: AnyObject) {
        listeners[ObjectIdentifier(owner)] = nil
    }

    private func tell(_ event: DaemonEvent) {
        for listener in listeners.values { listener(event) }
    }

    fileprivate func keep(_ registrations: [Bus.Registration]) {
        self.registrations = registrations
    }

    fileprivate func busEnded() {
        owner = nil
        objects = [:]
        registrations = []
        tell(.lost(.busLost))
    }

    fileprivate func received(_ message: BusMessage) {
        if message.member == "NameOwnerChanged" {
            guard message.sender == "org.freedesktop.DBus", let values = try? message.values(),
                values.count == 3, values[0].text == Self.name
            else { return }
            return ownerChanged(to: values[2].text ?? "")
        }
        guard message.sender == owner, let values = try? message.values(), values.count >= 2 else { return }
        switch (message.member, values[0].text, values[1]) {
        case ("InterfacesAdded", let path?, .interfaces(let interfaces)): added(interfaces, to: path)
        case ("InterfacesRemoved", let path?, .strings(let interfaces)): removed(interfaces, from: path)
        case ("PropertiesChanged", let interface?, .map(let properties)):
            for name in values.dropFirst(2).first?.texts ?? [] {
                objects[message.path]?[interface]?[name] = nil
            }
            changed(properties, of: interface, at: message.path)
        default: break
        }
    }

    private func ownerChanged(to name: String) {
        let hadOwner = owner != nil
        owner = name.isEmpty ? nil : name
        objects = [:]
        taken = []
        if hadOwner { tell(.lost(.daemonLost)) }
        if owner != nil { Task { try? await takeStock() } }
    }

    private func added(_ interfaces: BusInterfaces, to path: String) {
        objects[path, default: [:]].merge(interfaces) { $1 }
        forgetLeftBehind(at: path)
        for (interface, properties) in interfaces { tell(.changed(path, interface, properties)) }
    }

    private func removed(_ interfaces: [String], from path: String) {
        for interface in interfaces { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        for interface in interfaces { tell(.removed(path, interface)) }
    }

    private func changed(_ properties: [String: BusValue], of interface: String, at path: String) {
        objects[path]?[interface]?.merge(properties) { $1 }
        if properties["Powered"]?.flag == true || properties["Connected"]?.flag == false {
            forgetLeftBehind(at: path)
        }
        tell(.changed(path, interface, properties))
    }
}

/// What happens to bluetoothd and its objects.
enum DaemonEvent {
    /// The bus or bluetoothd was lost, and with it everything registered.
    case lost(BlueZTransportError)
    /// An object appeared or has new values for these properties of an interface.
    case changed(_ path: String, _ interface: String, [String: BusValue])
    case removed(_ path: String, _ interface: String)

    /// What the event means for whoever uses that adapter, if it is the end.
    func loss(of adapter: String) -> BlueZTransportError? {
        switch self {
        case .lost(let error): error
        case .removed(adapter, "org.bluez.Adapter1"): .adapterLost
        case .changed(adapter, "org.bluez.Adapter1", let properties)
        where properties["Powered"]?.flag == false:
            .adapterOff()
        default: nil
        }
    }
}

extension Bus {
    /// Subscribes a daemon to the signals it needs, before any call.
    fileprivate func watchDaemon(_ daemon: Daemon) async throws(BusError) {
        let deliver: @Sendable (BusMessage) -> Void = { [weak daemon] message in
            daemon?.assumeIsolated { $0.received(message) }
        }
        let registrations = [
            try observe(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Daemon.name)'",
                deliver),
            try observe(
                "type='signal',path='/',interface='org.freedesktop.DBus.ObjectManager'", deliver),
            try observe(
                "type='signal',path_namespace='/org/bluez',interface='org.freedesktop.DBus.Properties'",
                deliver),
        ]
        whenDisconnected(daemon) { [weak daemon] in daemon?.assumeIsolated { $0.busEnded() } }
        await daemon.keep(registrations)
    }
}
