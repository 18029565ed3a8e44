internal import NDEF

/// A peer that advertises the UUID that is searched for.
struct Peer: Equatable, Sendable {
    /// The path of bluetoothd's object for the peer.
    let path: String
    let address: String
    let isAddressRandom: Bool
}

/// A discovery session on one adapter for peers that advertise a UUID.
///
/// bluetoothd filters by the UUID, and expands UUIDs of 16 bits to 128 (Q87). The search itself ignores
/// results of other programs' discovery and of other adapters (Q118).
actor PeerSearch {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    private let uuid: String
    /// Whether other devices may have the UUID too, because it has 16 bits. The search then compares all
    /// peers that it finds within `BlueZConfiguration.pause` (Q87).
    private let isAmbiguous: Bool
    private let configuration: BlueZConfiguration
    private let condition: BusCondition
    private var isDiscovering = false
    private var failure: BlueZTransportError?
    /// The paths of all peers that advertised the UUID. bluetoothd forgets them at the end (Q114).
    private var known: Set<String> = []
    /// The paths of peers that bluetoothd knew before the search. Their services may have changed since.
    private var remembered: Set<String> = []
    /// The number of failed attempts for each peer, by address.
    private var failures: [String: Int] = [:]

    init(for uuid: BluetoothUUID, daemon: Daemon, adapter: String, configuration: BlueZConfiguration) {
        self.daemon = daemon
        self.adapter = adapter
        self.uuid = uuid.description
        isAmbiguous = uuid.shortForm != nil
        self.configuration = configuration
        condition = BusCondition(daemon.bus)
    }

    /// Searches until a peer is found. Returns the peer with the fewest failed attempts and, among equals,
    /// the peer with the strongest signal.
    ///
    /// - Parameter deadline: the end of the search; `nil` for no limit.
    /// - Returns: the peer; `nil` if no peer was found before the deadline.
    func peer(until deadline: ContinuousClock.Instant?) async throws(BlueZTransportError) -> Peer? {
        remembered = Set(devices.keys)
        try await start()
        var renewal = ContinuousClock.now + configuration.discovery
        while sightings.isEmpty {
            try check()
            let now = ContinuousClock.now
            if let deadline, now >= deadline { return nil }
            // bluetoothd may have stopped receiving without reporting it, or may hide a new UUID of a peer
            // that it remembers (Q114).
            if now >= renewal {
                await forgetRemembered()
                await stop()
                try await start()
                renewal = .now + configuration.discovery
                continue
            }
            await condition.wait(until: min(renewal, deadline ?? renewal))
        }
        // Other devices may advertise the same 16-bit UUID too. During this pause they are found, so that
        // their signals can be compared.
        if isAmbiguous { await wait(configuration.pause) }
        try check()
        return sightings.first
    }

    /// Makes bluetoothd forget peers that it knew before the search and that now advertise without the UUID.
    /// If bluetoothd remembers the services of a peer, it does not show a new UUID of that peer (Q114).
    private func forgetRemembered() async {
        for path in devices.keys.sorted() {
            // The properties are read again for each peer, because a phone may have connected while another
            // phone was removed.
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

    /// The peers that advertise now, in the order in which they are tried.
    private var sightings: [Peer] {
        devices.compactMap { path, device -> (Peer, [Int])? in
            guard matches(device), let strength = device["RSSI"]?.number,
                let address = device["Address"]?.text
            else { return nil }
            let peer = Peer(
                path: path, address: address, isAddressRandom: device["AddressType"]?.text == "random")
            // Fewer failed attempts come first, then the stronger signal.
            return (peer, [failures[address] ?? 0, -strength])
        }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
    }

    private func matches(_ device: [String: BusValue]) -> Bool {
        (device["UUIDs"]?.texts ?? []).contains { $0.lowercased() == uuid }
    }

    /// Records a failed attempt. Peers with fewer failures are then tried before this peer.
    func failed(_ peer: Peer) {
        failures[peer.address, default: 0] += 1
    }

    /// Waits for a time, or until the radio is lost or the task is cancelled.
    func wait(_ time: Duration) async {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end && !Task.isCancelled && failure == nil {
            await condition.wait(until: end)
        }
    }

    // MARK: - The session

    /// Starts discovery. Does nothing if discovery runs.
    private func start() async throws(BlueZTransportError) {
        try check()
        guard !isDiscovering else { return }
        // Set before the calls: if `stop` clears the flag meanwhile, `begin` starts no discovery. If a call
        // fails, the flag stays set, because discovery may have started nevertheless. `stop` then ends it.
        isDiscovering = true
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.handleEvent(event) } }
        // The calls are finished even if the task is cancelled. Otherwise it would be unknown whether there
        // is a session that `stop` must end.
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
            // bluetoothd already discovers for this process.
            return
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.NotReady") {
            throw .adapterOff(refusal)
        } catch {
            throw BlueZTransportError(error)
        }
    }

    /// Sets the filter and starts discovery, by two calls to bluetoothd.
    private func begin() async throws(BusError) {
        _ = try await daemon.call(
            adapter, "org.bluez.Adapter1", "SetDiscoveryFilter",
            [.map(["Transport": .string("le"), "UUIDs": .strings([uuid])])])
        // The search may have been stopped while bluetoothd hung. A discovery that starts now would never be
        // stopped (Q246).
        guard isDiscovering else { throw .cancelled }
        _ = try await daemon.call(adapter, "org.bluez.Adapter1", "StartDiscovery")
        // `stop` may have been called during this call. bluetoothd has then refused to stop a discovery that
        // had not started yet.
        guard isDiscovering else {
            await daemon.takeBack(adapter, "org.bluez.Adapter1", "StopDiscovery")
            throw .cancelled
        }
    }

    /// Stops discovery. Connecting is slow while discovery runs (Q97).
    func stop() async {
        guard isDiscovering else { return }
        isDiscovering = false
        // If the radio was lost, its discovery has ended too.
        guard failure == nil else { return }
        await daemon.takeBack(adapter, "org.bluez.Adapter1", "StopDiscovery")
    }

    /// Ends the session and makes bluetoothd forget all peers that were found, except `peer`.
    func end(keeping peer: Peer?) async {
        await stop()
        if failure == nil {
            // An empty map removes the filter.
            await daemon.takeBack(adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", [.map([:])])
            for path in known where path != peer?.path { await daemon.remove(path, at: adapter) }
        }
        await daemon.stopListening(self)
    }

    /// Records a loss of the radio, or a peer that advertises the UUID, and wakes the search. A peer that
    /// bluetoothd no longer has is removed from `known`.
    private func handleEvent(_ event: DaemonEvent) {
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
