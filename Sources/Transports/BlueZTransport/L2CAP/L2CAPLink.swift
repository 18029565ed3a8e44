internal import Dispatch
internal import Glibc
internal import Transport

/// A link over an LE credit-based L2CAP channel. A packet is one service data unit.
actor L2CAPLink: BluetoothLELink {
    nonisolated let kind = BluetoothLELinkKind.l2cap
    /// The number of attempts to connect, including the successful one (Q63).
    nonisolated let attempts: Int
    nonisolated let packetLimit: Int
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    /// The path of the peer, which bluetoothd forgets when the link is closed; `nil` if bluetoothd has no
    /// object for the peer.
    private let device: String?
    private let socket: PacketSocket
    private let condition: BusCondition
    /// The delay before the peer's disconnection is reported, see ``BlueZConfiguration/lossReportDelay``.
    private let lossReportDelay: Duration
    private let inbox: LinkInbox
    private var isSending = false
    private var isLeaving = false
    private var isClosed = false
    private var failure: BlueZTransportError?

    /// Creates a link for a connected channel. Reading begins with `start`.
    init(
        _ channel: consuming L2CAPSocket, daemon: Daemon, adapter: String, device: String?, attempts: Int = 1,
        lossReportDelay: Duration
    ) {
        let limit = channel.sendLimit
        self.init(
            owning: channel.release(), packetLimit: limit, daemon: daemon, adapter: adapter, device: device,
            attempts: attempts, lossReportDelay: lossReportDelay)
    }

    private init(
        owning descriptor: Int32, packetLimit: Int, daemon: Daemon, adapter: String, device: String?,
        attempts: Int, lossReportDelay: Duration
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.device = device
        self.attempts = attempts
        self.packetLimit = packetLimit
        self.lossReportDelay = lossReportDelay
        condition = BusCondition(daemon.bus)
        inbox = LinkInbox(daemon.bus)
        socket = PacketSocket(
            owning: descriptor, longest: L2CAPSocket.receiveLimit, queue: daemon.bus.queue)
    }

    /// Starts to read packets and to follow bluetoothd's events.
    func start() async {
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.handleEvent(event) } }
        startReading()
    }

    private func startReading() {
        socket.start(
            received: { [weak self] packet in self?.assumeIsolated { $0.received(packet) } ?? false },
            ended: { [weak self] in self?.assumeIsolated { $0.peerLeft() } })
    }

    private func handleEvent(_ event: DaemonEvent) {
        guard failure == nil, let loss = event.loss(of: adapter) else { return }
        failure = loss
        end(BluetoothLEError(loss))
    }

    private func received(_ packet: [UInt8]) -> Bool {
        inbox.insert(.data(packet))
        return inbox.hasRoom
    }

    /// Ends the link after the peer has disconnected. The end is delayed by `lossReportDelay`: when the radio
    /// is lost, bluetoothd reports the loss of the peer first.
    private func peerLeft() {
        guard !isLeaving else { return }
        isLeaving = true
        let time = lossReportDelay
        Task {
            try? await Task.sleep(for: time)
            self.end(.linkLost)
        }
    }

    /// Ends the link with an error, after the packets that have arrived are in the inbox.
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
                // The link ends after the delay within which a loss of the radio is reported. Then `check`
                // throws the cause.
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

    /// Does nothing, because a channel has no state characteristic.
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
