internal import Transport

/// A peer's GATT service of which we are the client.
///
/// Values pass through sockets wherever bluetoothd gives them. The two that notify are never mixed with calls: each
/// stream keeps its order, and when a state arrives all data before it lies in the other socket already.
actor GATTClient: BluetoothLEClientLink {
    nonisolated let kind = BluetoothLELinkKind.client
    nonisolated let attempts: Int
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let service: GATTService
    private let adapter: String
    private let device: String
    private let address: L2CAPAddress
    private let configuration: BlueZConfiguration
    private let condition: BusCondition

    private var remote = GATTRemoteService()
    private var data: PacketSocket?
    private var states: PacketSocket?
    private var writes: PacketSocket?
    private var stateWrites: PacketSocket?
    private var isNotifiedByCall = false
    /// The least that bluetoothd has named.
    private var mtu: Int?
    private let inbox: LinkInbox
    private var isConnected = false
    /// The peer disconnected; whether the radio is lost too is not known yet.
    private var isLeaving = false
    private var isSending = false
    /// Whether a state was sent that bluetoothd may not have taken yet.
    private var stateIsUnderway = false
    private var isClosed = false
    private var failure: BlueZTransportError?

    /// - Parameter attempts: how many it has taken, this one included.
    init(
        _ service: GATTService, at peer: Peer, daemon: Daemon, adapter: String, attempts: Int,
        configuration: BlueZConfiguration
    ) {
        self.service = service
        self.daemon = daemon
        self.adapter = adapter
        self.attempts = attempts
        self.configuration = configuration
        device = peer.path
        address = L2CAPAddress(peer)
        condition = BusCondition(daemon.bus)
        inbox = LinkInbox(daemon.bus)
    }

    // MARK: - Connecting

    /// Connects, and subscribes unless there is a channel; whoever calls closes when it fails.
    ///
    /// - Returns: the channel, if any; the peer is then the channel's, and this link is over.
    func open(choosing choice: ChannelChoice?) async throws(ConnectFailure) -> L2CAPLink? {
        await daemon.take(device)
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.happened(event) } }
        isConnected = await daemon.properties(device, "org.bluez.Device1")?["Connected"]?.flag == true
        try await connect()
        configuration.observe(.phone(addressIsRandom: address.isRandom))
        try await resolve()
        if let choice, let channel = try await channel(choice) { return channel }
        try await subscribe()
        try check()
        return nil
    }

    private func connect() async throws(ConnectFailure) {
        do throws(BusError) {
            _ = try await daemon.call(
                device, "org.bluez.Device1", "Connect", within: configuration.connection)
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.AlreadyConnected") {
        } catch .refused(let refusal) {
            if let failure { throw .radio(failure) }
            throw await failure(refusal)
        } catch {
            try check()
            throw error == .overdue ? .overdue : .radio(BlueZTransportError(error))
        }
    }

    private func failure(_ refusal: PeerRefusal) async -> ConnectFailure {
        switch refusal.name {
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod":
            return .peerForgotten(refusal)
        case "org.bluez.Error.NotReady": return .radio(.adapterOff(refusal))
        case _ where refusal.message.contains("abort-by-local"):
            await disconnection()
            return .aborted(refusal)
        default: return .refused(refusal)
        }
    }

    /// After an abort the link may still be coming down; connecting again before would fail again (Q108).
    private func disconnection() async {
        let end = ContinuousClock.now + configuration.backOff
        while failure == nil, !Task.isCancelled, ContinuousClock.now < end,
            await daemon.properties(device, "org.bluez.Device1")?["Connected"]?.flag == true
        {
            await condition.wait(until: end)
        }
    }

    /// Until bluetoothd says it knows the services, and shows those that we need (Q104).
    private func resolve() async throws(ConnectFailure) {
        let unresolved = ContinuousClock.now + configuration.resolution
        var incomplete: ContinuousClock.Instant?
        while true {
            try check()
            guard await daemon.properties(device, "org.bluez.Device1")?["ServicesResolved"]?.flag == true
            else {
                if ContinuousClock.now >= unresolved { throw .servicesUnresolved }
                await condition.wait(until: unresolved)
                continue
            }
            remote = await daemon.remoteService(service, of: device)
            if remote.isComplete { return }
            let deadline = incomplete ?? ContinuousClock.now + configuration.settling
            if ContinuousClock.now >= deadline { throw .serviceIncomplete }
            incomplete = deadline
            await condition.wait(until: deadline)
        }
    }

    private func check() throws(ConnectFailure) {
        if let failure { throw .radio(failure) }
        if Task.isCancelled || isClosed { throw .radio(.cancelled) }
        if isLeaving { throw .peerLeft }
    }

    // MARK: - A channel in place of the characteristics

    /// Before anything is subscribed to: some phones take it for the end when a subscription is taken back. Whatever
    /// goes wrong but the connection itself leaves the characteristics to serve (Q61).
    private func channel(_ choice: ChannelChoice) async throws(ConnectFailure) -> L2CAPLink? {
        guard let psm = (try? await readPSM()).flatMap(choice) else {
            try check()
            return nil
        }
        do throws(ConnectFailure) {
            let socket = try await L2CAPSocket.connected(
                to: address, psm: psm, from: adapter, in: daemon, within: configuration.channel)
            return try await handOver(to: socket)
        } catch .channelRefused, .refused, .overdue, .aborted, .noSocket {
            try check()
            return nil
        }
    }

    /// From here on the channel owns the peer.
    private func handOver(to socket: consuming L2CAPSocket) async throws(ConnectFailure) -> L2CAPLink {
        let link = L2CAPLink(
            socket, daemon: daemon, adapter: adapter, device: device, attempts: attempts,
            verdict: configuration.verdict)
        await link.start()
        do throws(ConnectFailure) {
            try check()
        } catch {
            await link.close()
            throw error
        }
        isClosed = true
        inbox.finish(.linkLost)
        await daemon.stopListening(self)
        return link
    }

    // MARK: - Subscribing

    private func subscribe() async throws(ConnectFailure) {
        if configuration.usesSockets {
            data = try await acquire("AcquireNotify", .serverToClient)
            if data != nil { states = try await acquire("AcquireNotify", .state) }
            writes = try await acquire("AcquireWrite", .clientToServer)
            stateWrites = try await acquire("AcquireWrite", .state)
        }
        if data != nil && states != nil { return startSockets() }
        data?.close()
        data = nil
        isNotifiedByCall = true
        try await startNotify(.serverToClient)
        try await startNotify(.state)
        startSockets()
    }

    /// The socket bluetoothd gives; nil when it refuses.
    private func acquire(
        _ method: String, _ characteristic: GATTRemoteService.Characteristic
    ) async throws(ConnectFailure) -> PacketSocket? {
        try check()
        let answer: [BusValue]
        do throws(BusError) {
            answer = try await daemon.call(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, method, [.map([:])],
                within: configuration.subscription)
        } catch .refused {
            try check()
            return nil
        } catch {
            try check()
            throw error == .overdue ? .subscriptionRefused(nil) : .radio(BlueZTransportError(error))
        }
        guard case .descriptor(let descriptor)? = answer.first else { return nil }
        if let value = answer.last?.number, value >= 23 {
            mtu = min(mtu ?? value, value)
            configuration.observe(.mtu(value, method == "AcquireWrite" ? .writeSocket : .notifySocket))
        }
        if method == "AcquireNotify" { subscribed(characteristic, usesSocket: true) }
        return PacketSocket(owning: descriptor.take(), longest: 1024, queue: daemon.bus.queue)
    }

    private func subscribed(_ characteristic: GATTRemoteService.Characteristic, usesSocket: Bool) {
        guard let observed = BlueZObservation.Characteristic(rawValue: characteristic.rawValue) else {
            return
        }
        configuration.observe(.subscribed(observed, usesSocket: usesSocket))
    }

    private func startNotify(
        _ characteristic: GATTRemoteService.Characteristic
    ) async throws(ConnectFailure) {
        do throws(BusError) {
            _ = try await daemon.call(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "StartNotify",
                within: configuration.subscription)
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.InProgress") {
        } catch {
            try check()
            switch error {
            case .refused(let refusal): throw .subscriptionRefused(refusal)
            case .overdue: throw .subscriptionRefused(nil)
            default: throw .radio(BlueZTransportError(error))
            }
        }
    }

    private func startSockets() {
        data?.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.received(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
        states?.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.receivedState(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
        writes?.start(received: { _ in true }, ended: {})
        stateWrites?.start(received: { _ in true }, ended: {})
    }

    // MARK: - What comes

    private func happened(_ event: DaemonEvent) {
        if let loss = event.loss(of: adapter) { return fail(loss) }
        switch event {
        case .changed(device, "org.bluez.Device1", let properties):
            // The peer may leave while the answer to Connect is still to come.
            switch properties["Connected"]?.flag {
            case true: isConnected = true
            case false where isConnected: peerLeft()
            default: break
            }
        case .removed(device, "org.bluez.Device1"): peerLeft()
        case .changed(let path, GATTServerObjects.characteristicInterface, let properties)
        where isNotifiedByCall:
            if let value = properties["Value"]?.octets { receivedByCall(value, from: path) }
        default: break
        }
        condition.signal()
    }

    private func receivedByCall(_ value: [UInt8], from path: String) {
        if path == remote.path(.serverToClient) { _ = received(value) }
        if path == remote.path(.state) { _ = receivedState(value) }
    }

    private func received(_ packet: [UInt8]) -> Bool {
        inbox.put(.data(packet))
        return inbox.hasRoom
    }

    private func receivedState(_ packet: [UInt8]) -> Bool {
        data?.drainAll()
        inbox.put(.state(packet))
        return inbox.hasRoom
    }

    /// What the peer sent before it disconnected is still delivered. The end is reported when its cause is known:
    /// when the radio is lost, the peer is lost with it and is reported first.
    private func peerLeft() {
        guard !isLeaving, !inbox.isEnded else { return }
        isLeaving = true
        configuration.observe(.disconnected)
        takeRest()
        letWritersGo()
        let time = configuration.verdict
        Task {
            try? await Task.sleep(for: time)
            self.end(.linkLost)
        }
    }

    private func end(_ error: BluetoothLEError) {
        takeRest()
        inbox.finish(error)
        letWritersGo()
        condition.signal()
    }

    private func fail(_ error: BlueZTransportError) {
        guard failure == nil else { return }
        failure = error
        end(BluetoothLEError(error))
    }

    private func takeRest() {
        data?.drainAll()
        states?.drainAll()
    }

    private func letWritersGo() {
        writes?.writable()
        stateWrites?.writable()
    }

    // MARK: - The link

    /// Until bluetoothd has named an MTU, what every peer takes (Q67, Q98, Q99).
    var packetLimit: Int { min(512, (mtu ?? 23) - 3) }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        data?.proceed()
        states?.proceed()
        return try await inbox.next()
    }

    func interrupt() { inbox.stopWaiting() }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        guard !isSending else { throw .alreadyWaiting }
        isSending = true
        defer { isSending = false }
        // bluetoothd would truncate the value silently (Q98).
        guard head.count + body.count <= packetLimit else {
            throw .connectionFailed(.valueTooLong)
        }
        if stateIsUnderway {
            try await emptied(stateWrites)
            stateIsUnderway = false
        }
        if let writes { return try await send(head, body, through: writes) }
        try await write(unsafe head.withBytes { unsafe Array($0) } + body, to: .clientToServer)
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        guard !isSending else { throw .alreadyWaiting }
        isSending = true
        defer { isSending = false }
        try await emptied(writes)
        guard let stateWrites else { return try await write([state], to: .state) }
        stateIsUnderway = true
        try await send(.byte(state), [], through: stateWrites)
    }

    private func send(
        _ head: PacketHead, _ body: ArraySlice<UInt8>, through socket: PacketSocket
    ) async throws(BluetoothLEError) {
        while true {
            try checkLink()
            switch socket.send(head, body) {
            case .taken: return
            case .closed: throw await verdict()
            case .full: await socket.room()
            }
        }
    }

    /// Until bluetoothd has taken all that was sent: it looks at each socket on its own, and what is sent through the
    /// other, a state or data, could overtake it.
    private func emptied(_ socket: PacketSocket?) async throws(BluetoothLEError) {
        let hung = ContinuousClock.now + configuration.call
        while let socket, !socket.isEmptied {
            try checkLink()
            guard ContinuousClock.now < hung else { throw BluetoothLEError(.daemonHung) }
            await condition.wait(until: .now + .milliseconds(1))
        }
    }

    private func write(
        _ value: [UInt8], to characteristic: GATTRemoteService.Characteristic
    ) async throws(BluetoothLEError) {
        try checkLink()
        do throws(BusError) {
            _ = try await daemon.call(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "WriteValue",
                [.bytes(value), .map(["type": .string(remote.writeType(characteristic))])])
        } catch {
            try checkLink()
            if case .refused = error { throw await verdict() }
            throw BluetoothLEError(BlueZTransportError(error))
        }
    }

    /// What has ended the link.
    private func verdict() async -> BluetoothLEError {
        peerLeft()
        while !inbox.isEnded && !Task.isCancelled { await condition.wait() }
        do throws(BluetoothLEError) { try checkLink() } catch { return error }
        return .linkLost
    }

    private func checkLink() throws(BluetoothLEError) {
        if let failure { throw BluetoothLEError(failure) }
        if Task.isCancelled { throw .cancelled }
        if isClosed || inbox.isEnded { throw .linkLost }
    }

    func readIdent() async throws(BluetoothLEError) -> [UInt8] { try await read(.ident) }

    /// The peer's L2CAP channel, in the peer's encoding (Q65). Throws as ``readIdent()``.
    func readPSM() async throws(BluetoothLEError) -> [UInt8] { try await read(.psm) }

    private func read(
        _ characteristic: GATTRemoteService.Characteristic
    ) async throws(BluetoothLEError) -> [UInt8] {
        guard remote.has(characteristic) else { throw .serviceIncomplete }
        try checkLink()
        do throws(BusError) {
            let answer = try await daemon.call(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "ReadValue",
                [.map([:])])
            return answer.first?.octets ?? []
        } catch {
            try checkLink()
            switch error {
            case .refused(let refusal): throw .connectionFailed(ConnectionFault(.readRefused, refusal))
            case .overdue: throw .connectionFailed(.readTimedOut)
            default: throw BluetoothLEError(BlueZTransportError(error))
            }
        }
    }

    // MARK: - The end

    /// Unsubscribes, disconnects and lets bluetoothd forget the peer (Q79, Q81, Q114).
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        let hasPeer = failure == nil && !isLeaving
        inbox.finish(.linkLost)
        condition.signal()
        for socket in [data, states, writes, stateWrites] { socket?.close() }
        if hasPeer && isConnected { await unsubscribe() }
        await daemon.remove(device, at: adapter)
        await daemon.stopListening(self)
    }

    /// bluetoothd handles the end of a socket as this call, and gives the peer two seconds to be notified.
    private func unsubscribe() async {
        guard isNotifiedByCall else { return }
        for characteristic in [GATTRemoteService.Characteristic.serverToClient, .state] {
            await daemon.takeBack(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "StopNotify")
        }
    }
}
