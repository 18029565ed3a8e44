internal import Transport

/// The link to a phone's GATT service, of which this computer is the client (mdoc peripheral server mode).
///
/// `PeerConnecting` finds the phone, and `BlueZRadio` calls ``open(choosing:)`` once for each attempt:
///
/// 1. Connect, and wait until bluetoothd shows all characteristics (Q104, Q108).
/// 2. Read the PSM and open an L2CAP channel, if the caller chooses a channel. The link over the channel is
///    then responsible for the phone, and this link has ended (Q61).
/// 3. Otherwise subscribe to data and state. The caller may read the ident, and starts the transfer with
///    ``signal(_:)``.
///
/// Values pass through sockets if bluetoothd provides them. Otherwise each value takes a D-Bus call (Q110).
/// The phone's data and states come through two sockets, which are used together or not at all. When a state
/// arrives, all data that the phone sent before is already in the data socket. When this computer sends, a
/// value for one socket waits until bluetoothd has read the other socket.
///
/// A lost phone is reported after a short delay, because bluetoothd reports the loss of the radio after the
/// loss of its phones (Q117). ``close()`` unsubscribes, disconnects, and makes bluetoothd forget the phone
/// (Q79, Q81, Q114). All methods and events run on the bus's queue.
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
    /// The smallest ATT MTU that bluetoothd has reported.
    private var mtu: Int?
    private let inbox: LinkInbox
    private var isConnected = false
    /// Whether the peer has disconnected. The link ends later, when it is known whether the whole radio is
    /// lost.
    private var isLeaving = false
    private var isSending = false
    /// Whether a state was sent that bluetoothd may not have read yet.
    private var stateIsUnderway = false
    private var isClosed = false
    private var failure: BlueZTransportError?

    /// Creates a link that is not connected yet.
    ///
    /// - Parameter attempts: the number of attempts to connect so far, including this one.
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

    /// Connects to the peer, and opens a channel or subscribes. If this fails, the caller closes the link.
    ///
    /// - Returns: the link over the channel, which is then responsible for the peer; `nil` if this link's
    ///   characteristics are used.
    func open(choosing choice: ChannelChoice?) async throws(ConnectFailure) -> L2CAPLink? {
        await daemon.beginTransaction(with: device)
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.handleEvent(event) } }
        // The peer may be connected already.
        isConnected = await daemon.properties(device, "org.bluez.Device1")?["Connected"]?.flag == true
        try await connect()
        configuration.observe(.phone(addressIsRandom: address.isRandom))
        try await resolve()
        if let choice, let channel = try await channel(choice) { return channel }
        try await subscribe()
        try check()
        return nil
    }

    /// Makes bluetoothd connect to the peer, and converts its errors.
    private func connect() async throws(ConnectFailure) {
        do throws(BusError) {
            _ = try await daemon.call(
                device, "org.bluez.Device1", "Connect", within: configuration.connection)
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.AlreadyConnected") {
            // bluetoothd is connected to the peer already. This connection is used.
        } catch .refused(let refusal) {
            if let failure { throw .radio(failure) }
            throw await connectFailure(for: refusal)
        } catch {
            try check()
            throw error == .overdue ? .overdue : .radio(BlueZTransportError(error))
        }
    }

    /// Converts bluetoothd's error for `Connect`. After an abort, waits until the connection is down.
    private func connectFailure(for refusal: PeerRefusal) async -> ConnectFailure {
        switch refusal.name {
        // The object of the peer is gone (Q97).
        case "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.UnknownMethod":
            return .peerForgotten(refusal)
        case "org.bluez.Error.NotReady": return .radio(.adapterOff(refusal))
        case _ where refusal.message.contains("abort-by-local"):
            // The next attempt usually succeeds, but not before the connection is down (Q108).
            await disconnection()
            return .aborted(refusal)
        default: return .refused(refusal)
        }
    }

    /// Waits until the connection is down, at most `backOff`. An attempt to connect before that would fail
    /// (Q108).
    private func disconnection() async {
        let end = ContinuousClock.now + configuration.backOff
        while failure == nil, !Task.isCancelled, ContinuousClock.now < end,
            await daemon.properties(device, "org.bluez.Device1")?["Connected"]?.flag == true
        {
            await condition.wait(until: end)
        }
    }

    /// Waits until bluetoothd reports that it knows the services, and then until it shows all characteristics
    /// (Q104).
    private func resolve() async throws(ConnectFailure) {
        let resolutionEnd = ContinuousClock.now + configuration.resolution
        var settlingEnd: ContinuousClock.Instant?
        while true {
            try check()
            guard await daemon.properties(device, "org.bluez.Device1")?["ServicesResolved"]?.flag == true
            else {
                if ContinuousClock.now >= resolutionEnd { throw .servicesUnresolved }
                await condition.wait(until: resolutionEnd)
                continue
            }
            remote = await daemon.remoteService(service, of: device)
            if remote.isComplete { return }
            // The time limit for the characteristics starts when the services are known. It is not restarted
            // if the loop reaches this line again.
            let deadline = settlingEnd ?? ContinuousClock.now + configuration.settling
            if ContinuousClock.now >= deadline { throw .serviceIncomplete }
            settlingEnd = deadline
            await condition.wait(until: deadline)
        }
    }

    /// Throws if the radio or the peer was lost, the task was cancelled, or the link was closed.
    private func check() throws(ConnectFailure) {
        if let failure { throw .radio(failure) }
        if Task.isCancelled || isClosed { throw .radio(.cancelled) }
        if isLeaving { throw .peerLeft }
    }

    // MARK: - The L2CAP channel

    /// Opens the L2CAP channel that the caller chooses, or returns `nil`.
    ///
    /// Called before any subscription, because some phones treat the end of a subscription as the end of the
    /// session. If only the channel fails and the connection stays, the characteristics are used (Q61).
    private func channel(_ choice: ChannelChoice) async throws(ConnectFailure) -> L2CAPLink? {
        // Without a readable PSM there is no channel.
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

    /// Creates the link over a channel. That link is then responsible for the peer.
    private func handOver(to socket: consuming L2CAPSocket) async throws(ConnectFailure) -> L2CAPLink {
        let link = L2CAPLink(
            socket, daemon: daemon, adapter: adapter, device: device, attempts: attempts,
            lossReportDelay: configuration.lossReportDelay)
        await link.start()
        // The radio or the peer may have been lost before the new link received bluetoothd's events.
        do throws(ConnectFailure) {
            try check()
        } catch {
            await link.close()
            throw error
        }
        // This link ends without a disconnection, because the channel needs the connection.
        isClosed = true
        inbox.finish(.linkLost)
        await daemon.stopListening(self)
        return link
    }

    // MARK: - Subscribing

    /// Subscribes to data and state: by sockets if bluetoothd provides both, and otherwise by calls (Q110).
    private func subscribe() async throws(ConnectFailure) {
        if configuration.usesSockets {
            data = try await acquire("AcquireNotify", .serverToClient)
            if data != nil { states = try await acquire("AcquireNotify", .state) }
            // bluetoothd may refuse one of the two sockets for writing. `send` and `signal` keep the order of
            // the values even if one characteristic is written by D-Bus calls.
            writes = try await acquire("AcquireWrite", .clientToServer)
            stateWrites = try await acquire("AcquireWrite", .state)
        }
        // Both characteristics use sockets, or both use calls. Otherwise a state could overtake data.
        if data != nil && states != nil { return startSockets() }
        data?.close()
        data = nil
        isNotifiedByCall = true
        try await startNotify(.serverToClient)
        try await startNotify(.state)
        startSockets()
    }

    /// Requests a socket for a characteristic from bluetoothd; `nil` if bluetoothd refuses.
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
        // The answer is a socket and the MTU.
        guard case .descriptor(let descriptor)? = answer.first else { return nil }
        // A value below 23, the minimum MTU of ATT, cannot be right and is ignored.
        if let value = answer.last?.number, value >= 23 {
            mtu = min(mtu ?? value, value)
            configuration.observe(.mtu(value, method == "AcquireWrite" ? .writeSocket : .notifySocket))
        }
        if method == "AcquireNotify" { subscribed(characteristic, usesSocket: true) }
        // No value has more than 512 bytes, so 1024 are enough.
        return PacketSocket(owning: descriptor.take(), longest: 1024, queue: daemon.bus.queue)
    }

    /// Reports a new subscription to the trace.
    private func subscribed(_ characteristic: GATTRemoteService.Characteristic, usesSocket: Bool) {
        guard let observed = BlueZObservation.Characteristic(rawValue: characteristic.rawValue) else {
            return
        }
        configuration.observe(.subscribed(observed, usesSocket: usesSocket))
    }

    /// Subscribes to a characteristic whose values then arrive as D-Bus property changes.
    private func startNotify(
        _ characteristic: GATTRemoteService.Characteristic
    ) async throws(ConnectFailure) {
        do throws(BusError) {
            _ = try await daemon.call(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "StartNotify",
                within: configuration.subscription)
        } catch .refused(let refusal) where refusal.isNamed("org.bluez.Error.InProgress") {
            // The subscription exists already.
        } catch {
            try check()
            switch error {
            case .refused(let refusal): throw .subscriptionRefused(refusal)
            case .overdue: throw .subscriptionRefused(nil)
            default: throw .radio(BlueZTransportError(error))
            }
        }
    }

    /// Starts to read the sockets that bluetoothd has provided.
    private func startSockets() {
        data?.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.received(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
        states?.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.receivedState(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
        // bluetoothd sends nothing through the two sockets for writing. They are read only to notice that
        // bluetoothd has closed them.
        writes?.start(received: { _ in true }, ended: {})
        stateWrites?.start(received: { _ in true }, ended: {})
    }

    // MARK: - Received values and events

    private func handleEvent(_ event: DaemonEvent) {
        if let loss = event.loss(of: adapter) { return fail(loss) }
        switch event {
        case .changed(device, "org.bluez.Device1", let properties):
            // The peer may disconnect before the answer to `Connect` arrives.
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
        inbox.insert(.data(packet))
        return inbox.hasRoom
    }

    private func receivedState(_ packet: [UInt8]) -> Bool {
        // Data that the peer sent before the state is already in the data socket, and is delivered before the
        // state.
        data?.drainAll()
        inbox.insert(.state(packet))
        return inbox.hasRoom
    }

    /// Ends the link after the peer has disconnected. Values that the peer sent before disconnecting are
    /// still delivered.
    ///
    /// The end is delayed by `lossReportDelay`: when the radio is lost, bluetoothd reports the loss of the
    /// peer first.
    private func peerLeft() {
        guard !isLeaving, !inbox.isEnded else { return }
        isLeaving = true
        configuration.observe(.disconnected)
        drainSockets()
        resumeWriters()
        let time = configuration.lossReportDelay
        Task {
            try? await Task.sleep(for: time)
            self.end(.linkLost)
        }
    }

    /// Ends the link with an error, after the values that have arrived are in the inbox.
    private func end(_ error: BluetoothLEError) {
        drainSockets()
        inbox.finish(error)
        resumeWriters()
        condition.signal()
    }

    private func fail(_ error: BlueZTransportError) {
        guard failure == nil else { return }
        failure = error
        end(BluetoothLEError(error))
    }

    /// Moves everything that the sockets contain to the inbox.
    private func drainSockets() {
        data?.drainAll()
        states?.drainAll()
    }

    /// Resumes senders that wait for room, so that they notice the end of the link.
    private func resumeWriters() {
        writes?.writable()
        stateWrites?.writable()
    }

    // MARK: - The link

    /// The maximum length of a value: the MTU less the three bytes of a header, but at most 512. Until
    /// bluetoothd has reported an MTU, the minimum MTU of 23 applies (Q67, Q98, Q99).
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
        // The data must not overtake the state 01 (start) that was sent before it. This was seen once, and a
        // phone may refuse a request that arrives before the start.
        if stateIsUnderway {
            try await waitUntilEmptied(stateWrites)
            stateIsUnderway = false
        }
        if let writes { return try await send(head, body, through: writes) }
        try await write(unsafe head.withBytes { unsafe Array($0) } + body, to: .clientToServer)
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        guard !isSending else { throw .alreadyWaiting }
        isSending = true
        defer { isSending = false }
        // The state 02 (end) must not arrive before the last data.
        try await waitUntilEmptied(writes)
        guard let stateWrites else { return try await write([state], to: .state) }
        stateIsUnderway = true
        try await send(.byte(state), [], through: stateWrites)
    }

    /// Sends a value through a socket, and waits while the socket has no room.
    private func send(
        _ head: PacketHead, _ body: ArraySlice<UInt8>, through socket: PacketSocket
    ) async throws(BluetoothLEError) {
        while true {
            try checkLink()
            switch socket.send(head, body) {
            case .taken: return
            case .closed: throw await lossReason()
            case .full: await socket.room()
            }
        }
    }

    /// Waits until bluetoothd has read everything from a socket. bluetoothd reads each socket separately, so
    /// without this wait a state could overtake earlier data, or data an earlier state.
    private func waitUntilEmptied(_ socket: PacketSocket?) async throws(BluetoothLEError) {
        let deadline = ContinuousClock.now + configuration.call
        while let socket, !socket.isEmptied {
            try checkLink()
            guard ContinuousClock.now < deadline else { throw BluetoothLEError(.daemonHung) }
            // No event reports that a socket is empty, so it is polled.
            await condition.wait(until: .now + .milliseconds(1))
        }
    }

    /// Writes a value by a D-Bus call, if bluetoothd provides no socket.
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
            // If bluetoothd refuses a write, the peer counts as lost.
            if case .refused = error { throw await lossReason() }
            throw BluetoothLEError(BlueZTransportError(error))
        }
    }

    /// Waits for the end of the link and returns the error with which the link ended.
    private func lossReason() async -> BluetoothLEError {
        // Starts the delay within which bluetoothd reports whether the whole radio is lost.
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

    /// Reads the PSM of the peer's L2CAP channel in the peer's encoding (Q65). Throws the errors of
    /// ``readIdent()``.
    func readPSM() async throws(BluetoothLEError) -> [UInt8] { try await read(.psm) }

    /// Reads a characteristic of the peer by a D-Bus call.
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

    // MARK: - Closing

    /// Unsubscribes, disconnects, and makes bluetoothd forget the peer (Q79, Q81, Q114).
    func close() async {
        guard !isClosed else { return }
        isClosed = true
        // After the loss of the peer or of the radio there is no subscription left.
        let hasPeer = failure == nil && !isLeaving
        inbox.finish(.linkLost)
        condition.signal()
        for socket in [data, states, writes, stateWrites] { socket?.close() }
        if hasPeer && isConnected { await unsubscribe() }
        await daemon.remove(device, at: adapter)
        await daemon.stopListening(self)
    }

    /// Ends the subscriptions that were made by D-Bus calls. A subscription through a socket ends when the
    /// socket is closed; bluetoothd then waits up to two seconds until the peer is notified.
    private func unsubscribe() async {
        guard isNotifiedByCall else { return }
        for characteristic in [GATTRemoteService.Characteristic.serverToClient, .state] {
            await daemon.takeBack(
                remote.path(characteristic), GATTServerObjects.characteristicInterface, "StopNotify")
        }
    }
}
