internal import Dispatch
internal import Glibc
internal import Transport

/// A credit-based channel to a peer. A packet is a service data unit.
actor L2CAPLink: BluetoothLELink {
    nonisolated let kind = BluetoothLELinkKind.l2cap
    /// How often connecting was tried, the time it worked included (Q63).
    nonisolated let attempts: Int
    nonisolated let packetLimit: Int
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    /// The peer's object, to be forgotten with the channel; nil if a server owns it.
    private let device: String?
    private let socket: PacketSocket
    private let condition: BusCondition
    /// As ``BlueZConfiguration/verdict``.
    private let verdict: Duration
    private let inbox: LinkInbox
    private var isSending = false
    private var isLeaving = false
    private var isClosed = false
    private var failure: BlueZTransportError?

    /// - Parameter channel: connected.
    init(
        _ channel: consuming L2CAPSocket, daemon: Daemon, adapter: String, device: String?, attempts: Int = 1,
        verdict: Duration
    ) {
        let limit = channel.sendLimit
        self.init(
            owning: channel.release(), packetLimit: limit, daemon: daemon, adapter: adapter, device: device,
            attempts: attempts, verdict: verdict)
    }

    private init(
        owning descriptor: Int32, packetLimit: Int, daemon: Daemon, adapter: String, device: String?,
        attempts: Int, verdict: Duration
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.device = device
        self.attempts = attempts
        self.packetLimit = packetLimit
        self.verdict = verdict
        condition = BusCondition(daemon.bus)
        inbox = LinkInbox(daemon.bus)
        socket = PacketSocket(
            owning: descriptor, longest: L2CAPSocket.receiveLimit, queue: daemon.bus.queue)
    }

    /// Begins to read.
    func start() async {
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.happened(event) } }
        startReading()
    }

    private func startReading() {
        socket.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.received(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
    }

    private func happened(_ event: DaemonEvent) {
        guard failure == nil, let loss = event.loss(of: adapter) else { return }
        failure = loss
        end(BluetoothLEError(loss))
    }

    private func received(_ packet: [UInt8]) -> Bool {
        inbox.put(.data(packet))
        return inbox.hasRoom
    }

    /// When the radio is lost, the peer is lost with it and is reported first.
    private func peerLeft() {
        guard !isLeaving else { return }
        isLeaving = true
        let time = verdict
        Task {
            try? await Task.sleep(for: time)
            self.end(.linkLost)
        }
    }

    private func end(_ error: BluetoothLEError) {
        socket.drainAll()
        inbox.finish(error)
        socket.writable()
        condition.signal()
    }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        socket.proceed()
        return try await inbox.next()
    }

    func interrupt() { inbox.stopWaiting() }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        guard !isSending else { throw .alreadyWaiting }
        isSending = true
        defer { isSending = false }
        while true {
            try check()
            switch socket.send(head, body) {
            case .taken: return
            case .closed:
                peerLeft()
                while !inbox.isEnded && !Task.isCancelled { await condition.wait() }
            case .full: await socket.room()
            }
        }
    }

    private func check() throws(BluetoothLEError) {
        if let failure { throw BluetoothLEError(failure) }
        if Task.isCancelled { throw .cancelled }
        if isClosed || inbox.isEnded { throw .linkLost }
    }

    /// A channel has no state beside its data.
    func signal(_ state: UInt8) {}

    func close() async {
        guard !isClosed else { return }
        isClosed = true
        inbox.finish(.linkLost)
        condition.signal()
        socket.close()
        await daemon.stopListening(self)
        if let device { await daemon.remove(device, at: adapter) }
    }
}
