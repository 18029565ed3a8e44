internal import NDEF

/// A peer that advertises what is looked for.
struct Peer: Equatable, Sendable {
    /// bluetoothd's object for it.
    let path: String
    let address: String
    let isAddressRandom: Bool
}

/// One discovery session on one adapter for peers that advertise a UUID.
///
/// bluetoothd filters, and expands UUIDs of 16 bits to 128 (Q87). Results of other programs' discovery, and of
/// other adapters (Q118), are filtered out here.
actor PeerSearch {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    private let uuid: String
    /// Others may have the UUID too: those that are seen within the pause are compared (Q87).
    private let isAmbiguous: Bool
    private let configuration: BlueZConfiguration
    private let condition: BusCondition
    private var isDiscovering = false
    private var failure: BlueZTransportError?
    /// Everyone who was seen to have the UUID, to be forgotten at the end (Q114).
    private var known: Set<String> = []
    /// Peers that bluetoothd had before the search, which may have changed their services since.
    private var remembered: Set<String> = []
    /// How often an attempt with a peer has failed.
    private var failures: [String: Int] = [:]

    init(for uuid: BluetoothUUID, daemon: Daemon, adapter: String, configuration: BlueZConfiguration) {
        self.daemon = daemon
        self.adapter = adapter
        self.uuid = uuid.description
        isAmbiguous = uuid.shortForm != nil
        self.configuration = configuration
        condition = BusCondition(daemon.bus)
    }

    /// Discovers until there is a peer: the one with the fewest failures, and of those the nearest.
    ///
    /// - Parameter deadline: nil for no deadline.
    /// - Returns: nil if no peer was seen before the deadline.
    func peer(until deadline: ContinuousClock.Instant?) async throws(BlueZTransportError) -> Peer? {
        remembered = Set(devices.keys)
        try await start()
        var renewal = ContinuousClock.now + configuration.discovery
        while sightings.isEmpty {
            try check()
            let now = ContinuousClock.now
            if let deadline, now >= deadline { return nil }
            if now >= renewal {
                await forgetRemembered()
                await stop()
                try await start()
                renewal = .now + configuration.discovery
                continue
            }
            await condition.wait(until: min(renewal, deadline ?? renewal))
        }
        if isAmbiguous { await wait(configuration.pause) }
        try check()
        return sightings.first
    }

    /// Forgets peers that were heard, as a UUID that is new to a peer whose services bluetoothd remembers is not shown (Q114).
    private func forgetRemembered() async {
        for path in devices.keys.sorted() {
            // Read again for each: a phone may have connected while another was removed.
            guard let device = devices[path], device["RSSI"] != nil, !matches(device),
                device["Connected"]?.flag == false, device["Paired"]?.flag == false,
                remembered.remove(path) != nil
            else { continue }
            await daemon.remove(path, at: adapter)
        }
    }

    private func check() throws(BlueZTransportError) {
        if let failure { throw failure }
        if Task.isCancelled { throw .cancelled }
    }

    private var devices: [String: [String: BusValue]] {
        daemon.assumeIsolated { $0.devices(at: adapter) }
    }

    /// The peers that are seen now, in the order in which they are tried.
    private var sightings: [Peer] {
        devices.compactMap { path, device -> (Peer, [Int])? in
            guard matches(device), let strength = device["RSSI"]?.number,
                let address = device["Address"]?.text
            else { return nil }
            let peer = Peer(
                path: path, address: address, isAddressRandom: device["AddressType"]?.text == "random")
            return (peer, [failures[address] ?? 0, -strength])
        }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    private func matches(_ device: [String: BusValue]) -> Bool {
        (device["UUIDs"]?.texts ?? []).contains { $0.lowercased() == uuid }
    }

    /// Puts a peer behind those with which less has failed.
    func failed(_ peer: Peer) {
        failures[peer.address, default: 0] += 1
    }

    func wait(_ time: Duration) async {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end && !Task.isCancelled && failure == nil {
            await condition.wait(until: end)
        }
    }

    // MARK: - The session

    private func start() async throws(BlueZTransportError) {
        try check()
        guard !isDiscovering else { return }
        isDiscovering = true
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.happened(event) } }
        // Cancelled half-way, it would be unclear whether there is a session to stop.
        let result = await daemon.finishing {
            do throws(BusError) {
                try await self.begin()
                return Result<Void, BusError>.success(())
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .daemonHung }
        do throws(BusError) {
            try result.get()
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.InProgress") {
            return
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.NotReady") {
            throw .adapterOff(refusal)
        } catch {
            throw BlueZTransportError(error)
        }
    }

    private func begin() async throws(BusError) {
        _ = try await daemon.call(
            adapter, "org.bluez.Adapter1", "SetDiscoveryFilter",
            [.map(["Transport": .string("le"), "UUIDs": .strings([uuid])])])
        // The search may have been stopped while bluetoothd hung: nobody would end a later discovery.
        guard isDiscovering else { throw .cancelled }
        _ = try await daemon.call(adapter, "org.bluez.Adapter1", "StartDiscovery")
        // `stop` may have come first: bluetoothd refuses to stop a discovery that has not started yet.
        guard isDiscovering else {
            await daemon.takeBack(adapter, "org.bluez.Adapter1", "StopDiscovery")
            throw .cancelled
        }
    }

    /// Stops discovery; connecting is slow while it runs (Q97).
    func stop() async {
        guard isDiscovering else { return }
        isDiscovering = false
        guard failure == nil else { return }
        await daemon.takeBack(adapter, "org.bluez.Adapter1", "StopDiscovery")
    }

    /// Leaves nothing behind but the peer that was found, if any.
    func end(keeping peer: Peer?) async {
        await stop()
        if failure == nil {
            await daemon.takeBack(adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", [.map([:])])
            for path in known where path != peer?.path { await daemon.remove(path, at: adapter) }
        }
        await daemon.stopListening(self)
    }

    private func happened(_ event: DaemonEvent) {
        if let loss = event.loss(of: adapter) {
            failure = failure ?? loss
            condition.signal()
        }
        switch event {
        case .changed(let path, "org.bluez.Device1", _) where path.hasPrefix(adapter + "/"):
            let device = daemon.assumeIsolated { $0.properties(path, "org.bluez.Device1") }
            guard let device, matches(device) else { return }
            known.insert(path)
            condition.signal()
        case .removed(let path, "org.bluez.Device1"): known.remove(path)
        default: break
        }
    }
}
