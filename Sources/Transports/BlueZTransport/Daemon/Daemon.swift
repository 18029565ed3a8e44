internal import Synchronization

/// bluetoothd as seen through one connection to the message bus: a copy of its objects, and their changes.
///
/// After ``connect(limit:bus:leftBehind:)`` the daemon reads all objects of bluetoothd once and follows its
/// signals. Functions such as ``adapter(named:)`` and ``devices(at:)`` read the copy and make no call. The
/// copy is only as recent as bluetoothd's last signal; ``checkAnswers()`` finds out whether bluetoothd
/// answers now.
///
/// - Only signals of the owner of `org.bluez` change the copy. Other programs on the bus may send signals
///   with the same names.
/// - When bluetoothd or the bus ends, the copy is emptied and all listeners get ``DaemonEvent/lost(_:)``.
///   When bluetoothd starts again, the daemon reads the objects anew; listeners have to register their
///   objects again (Q117).
/// - Phones of a transaction are marked with ``beginTransaction(with:)``. ``remove(_:at:)`` ends the
///   transaction and makes bluetoothd forget the phone, now or when its adapter is back (Q114).
///
/// Servers, clients and searches listen to the events. All run on the bus's queue, and listeners are called
/// there. The daemon never starts bluetoothd.
actor Daemon {
    static let name = "org.bluez"

    nonisolated let bus: Bus
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe bus.unownedExecutor }
    private let limit: Duration
    /// The unique bus name of the running bluetoothd; `nil` if bluetoothd does not run.
    private var owner: String?
    /// The properties that bluetoothd has reported, by object path and interface.
    private var objects: [String: BusInterfaces] = [:]
    private var registrations: [Bus.Registration] = []
    private var listeners: [ObjectIdentifier: @Sendable (DaemonEvent) -> Void] = [:]
    /// The paths of peers in a transaction of this process.
    private var peersInTransaction: Set<String> = []

    /// The peers that bluetoothd still has to forget.
    private let leftBehind: PeersLeftBehind
    /// The numbers of the positions in bluetoothd's attribute table that servers of this connection use, from
    /// 0. `GATTServerObjects.setPlace(_:)` converts a number into an attribute handle.
    private var tablePlaces: Set<Int> = []
    /// The ping that bluetoothd has not answered yet; `nil` if there is no unanswered ping.
    private(set) var openPing: Ping?

    private init(_ bus: Bus, limit: Duration, leftBehind: PeersLeftBehind) {
        self.bus = bus
        self.limit = limit
        self.leftBehind = leftBehind
    }

    /// Connects to a message bus, by default the system bus, and reads bluetoothd's objects. Also succeeds if
    /// bluetoothd does not run yet (Q119).
    ///
    /// - Parameter limit: the maximum time for one call to bluetoothd.
    /// - Parameter leftBehind: the peers that bluetoothd must forget as soon as it shows them again.
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
            // Without a message bus the first call ends as disconnected.
            throw error == .disconnected ? .busNotRunning : BlueZTransportError(error)
        }
    }

    nonisolated var isConnected: Bool { get async { await bus.isConnected } }

    /// Subscribes to signals, finds the running bluetoothd on the bus, and reads its objects. If bluetoothd
    /// does not run, a signal later reports its start.
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
        try await readObjects()
    }

    /// Reads all objects of a bluetoothd that has just started, or that ran before this connection was made.
    private func readObjects() async throws(BusError) {
        do throws(BusError) {
            _ = try await bus.call(
                Self.name, "/", BusMember("org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
                within: limit
            ) { [weak self] answer in
                // The closure runs before any later signal is handled, so that the signals' changes apply to
                // these objects.
                guard case .objects(let objects)? = answer.first else { return }
                self?.assumeIsolated {
                    $0.objects = objects
                    for path in objects.keys { $0.forgetLeftBehind(at: path) }
                }
            }
        } catch .noSuchService {
            // bluetoothd ended after the bus had returned the unique name of bluetoothd's connection.
            owner = nil
        }
    }

    // MARK: - Calls and the copy of the objects

    /// Whether a unique bus name belongs to the running bluetoothd.
    func isDaemon(_ sender: String) -> Bool { sender == owner }

    /// Calls a method of bluetoothd, by default within this object's time limit for calls.
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

    /// A ping to bluetoothd. A bluetoothd that hung answers the ping as soon as it runs again.
    struct Ping {
        let sent: ContinuousClock.Instant
        let answer: Task<Void, Never>
    }

    /// Returns the unanswered ping, or sends a new one.
    @discardableResult
    func ping() -> Ping {
        if let openPing { return openPing }
        // The limit of an hour keeps the ping open while bluetoothd hangs, so that its answer shows when
        // bluetoothd runs again (Q246).
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

    /// Returns the properties of an interface of an object, as bluetoothd last reported them.
    func properties(_ path: String, _ interface: String) -> [String: BusValue]? {
        objects[path]?[interface]
    }

    /// Returns the sorted paths of the objects that have an interface.
    func paths(_ interface: String, below path: String = "/org/bluez") -> [String] {
        objects.filter { $0.value[interface] != nil && $0.key.hasPrefix(path + "/") }.map(\.key).sorted()
    }

    /// Returns the path of the named adapter, or of the first adapter if there is no name. Adapters that
    /// cannot advertise are ignored.
    ///
    /// - Throws: `daemonNotRunning`, `noAdapter`, `adapterMissing`.
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

    /// Reserves the first position in bluetoothd's attribute table that no other server of this connection
    /// uses, and returns its number.
    func reserveTablePlace() -> Int {
        var place = 0
        while tablePlaces.contains(place) { place += 1 }
        tablePlaces.insert(place)
        return place
    }

    func releaseTablePlace(_ place: Int) { tablePlaces.remove(place) }

    // MARK: - Peers

    /// Returns the properties of all peers that an adapter knows, by path.
    func devices(at adapter: String) -> [String: [String: BusValue]] {
        var devices: [String: [String: BusValue]] = [:]
        for path in paths("org.bluez.Device1", below: adapter) {
            devices[path] = properties(path, "org.bluez.Device1")
        }
        return devices
    }

    /// Whether a peer is an unknown device: connected, not paired with this computer, and in no transaction
    /// of this process.
    func isUnknownDevice(_ device: String) -> Bool {
        let properties = objects[device]?["org.bluez.Device1"]
        return properties?["Connected"]?.flag == true && properties?["Paired"]?.flag != true
            && !peersInTransaction.contains(device)
    }

    func unknownDevices(at adapter: String) -> [String] {
        paths("org.bluez.Device1", below: adapter).filter(isUnknownDevice)
    }

    /// Begins a transaction with a peer, which is then not an unknown device.
    func beginTransaction(with device: String) {
        peersInTransaction.insert(device)
        leftBehind.remove(device)
    }

    /// Ends the transaction with a peer, disconnects the peer, and makes bluetoothd forget it (Q79, Q114).
    ///
    /// The phone will have another address next time, so bluetoothd's data about the phone would be useless.
    /// A peer that bluetoothd cannot forget now is forgotten as soon as bluetoothd shows the peer again.
    func remove(_ device: String, at adapter: String) async {
        peersInTransaction.remove(device)
        await forget(device, at: adapter)
    }

    /// Calls `RemoveDevice`. A peer that cannot be forgotten now is kept in `leftBehind`.
    private func forget(_ device: String, at adapter: String) async {
        await finishing { [leftBehind] in
            do throws(BusError) {
                _ = try await self.call(adapter, "org.bluez.Adapter1", "RemoveDevice", [.path(device)])
            } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.DoesNotExist") {
                // bluetoothd has forgotten the peer already.
            } catch {
                leftBehind.insert(device)
            }
        }
    }

    /// Makes bluetoothd forget a peer that was left behind.
    ///
    /// bluetoothd forgets no peer while the adapter is off, so this function is called when the adapter or
    /// the peer changes.
    ///
    /// - Parameter path: the path of the peer. The path of an adapter stands for all its peers.
    func forgetLeftBehind(at path: String) {
        guard objects[path]?["org.bluez.Adapter1"] == nil else {
            for device in paths("org.bluez.Device1", below: path) { forgetLeftBehind(at: device) }
            return
        }
        guard let end = path.lastIndex(of: "/") else { return }
        let adapter = String(path[..<end])
        Task {
            // The check is in the task, because a transaction may have begun or the peer may have connected
            // meanwhile.
            guard isForgettable(path, at: adapter), leftBehind.remove(path) else { return }
            await forget(path, at: adapter)
        }
    }

    /// Whether bluetoothd can forget the peer without disturbing another program. A peer that was paired
    /// meanwhile counts as used by another program.
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

    private func notifyListeners(_ event: DaemonEvent) {
        for listener in listeners.values { listener(event) }
    }

    fileprivate func retain(_ registrations: [Bus.Registration]) {
        self.registrations = registrations
    }

    /// Empties the copy of the objects after the loss of the bus, and notifies the listeners.
    fileprivate func busEnded() {
        owner = nil
        objects = [:]
        registrations = []
        notifyListeners(.lost(.busLost))
    }

    /// Applies a signal of bluetoothd or of the bus to the copy of the objects, and notifies the listeners.
    fileprivate func received(_ message: BusMessage) {
        if message.member == "NameOwnerChanged" {
            guard message.sender == "org.freedesktop.DBus", let values = try? message.values(),
                values.count == 3, values[0].text == Self.name
            else { return }
            // The signal's values are the bus name, its previous owner and its new owner.
            return ownerChanged(to: values[2].text ?? "")
        }
        guard message.sender == owner, let values = try? message.values(), values.count >= 2 else { return }
        switch (message.member, values[0].text, values[1]) {
        case ("InterfacesAdded", let path?, .interfaces(let interfaces)): added(interfaces, to: path)
        case ("InterfacesRemoved", let path?, .strings(let interfaces)): removed(interfaces, from: path)
        case ("PropertiesChanged", let interface?, .map(let properties)):
            // The third value lists properties whose earlier values are no longer valid.
            for name in values.dropFirst(2).first?.texts ?? [] {
                objects[message.path]?[interface]?[name] = nil
            }
            changed(properties, of: interface, at: message.path)
        default: break
        }
    }

    /// Empties the copy after the end or a restart of bluetoothd, and reads the objects of a new bluetoothd.
    ///
    /// - Parameter name: the unique bus name of the new bluetoothd; empty if there is none.
    private func ownerChanged(to name: String) {
        let hadOwner = owner != nil
        owner = name.isEmpty ? nil : name
        objects = [:]
        peersInTransaction = []
        if hadOwner { notifyListeners(.lost(.daemonLost)) }
        // If the objects cannot be read, the copy stays empty, as if bluetoothd had no adapter.
        if owner != nil { Task { try? await readObjects() } }
    }

    /// Adds the interfaces of an object to the copy. New values replace earlier values.
    private func added(_ interfaces: BusInterfaces, to path: String) {
        objects[path, default: [:]].merge(interfaces) { $1 }
        forgetLeftBehind(at: path)
        for (interface, properties) in interfaces { notifyListeners(.changed(path, interface, properties)) }
    }

    /// Removes interfaces of an object from the copy, and the object with its last interface.
    private func removed(_ interfaces: [String], from path: String) {
        for interface in interfaces { objects[path]?[interface] = nil }
        if objects[path]?.isEmpty == true { objects[path] = nil }
        for interface in interfaces { notifyListeners(.removed(path, interface)) }
    }

    /// Applies changed properties to the copy.
    private func changed(_ properties: [String: BusValue], of interface: String, at path: String) {
        objects[path]?[interface]?.merge(properties) { $1 }
        // bluetoothd forgets a peer only while the adapter is on and the peer is not connected.
        if properties["Powered"]?.flag == true || properties["Connected"]?.flag == false {
            forgetLeftBehind(at: path)
        }
        notifyListeners(.changed(path, interface, properties))
    }
}

/// A change of bluetoothd or its objects.
enum DaemonEvent {
    /// The bus or bluetoothd was lost, and with it all registrations.
    case lost(BlueZTransportError)
    /// An object appeared, or properties of one of its interfaces have new values.
    case changed(_ path: String, _ interface: String, [String: BusValue])
    /// An object lost an interface. An object without interfaces no longer exists.
    case removed(_ path: String, _ interface: String)

    /// Returns the error if an adapter cannot be used any more after this event; otherwise `nil`.
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
    /// Subscribes `daemon` to bluetoothd's signals, and to the loss of this bus. Called before the first call
    /// to bluetoothd, so that no change is missed.
    fileprivate func watchDaemon(_ daemon: Daemon) async throws(BusError) {
        let deliver: @Sendable (BusMessage) -> Void = { [weak daemon] message in
            daemon?.assumeIsolated { $0.received(message) }
        }
        // The match rules for the objects' signals accept any sender. `received` checks the sender.
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
        await daemon.retain(registrations)
    }
}
