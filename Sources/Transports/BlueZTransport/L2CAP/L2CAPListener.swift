internal import Glibc
internal import Transport

/// A listener on one PSM of an adapter, for one channel.
actor L2CAPListener {
    /// The PSM, which the GATT server publishes.
    nonisolated let psm: UInt16
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    private let lossReportDelay: Duration
    private let condition: BusCondition
    private var socket: L2CAPSocket?
    private var reading: SocketPoller.Watch?
    private var link: L2CAPLink?
    private var failure: BlueZTransportError?

    private init(
        _ socket: consuming L2CAPSocket, psm: UInt16, daemon: Daemon, adapter: String,
        lossReportDelay: Duration
    ) {
        self.socket = consume socket
        self.psm = psm
        self.daemon = daemon
        self.adapter = adapter
        self.lossReportDelay = lossReportDelay
        condition = BusCondition(daemon.bus)
    }

    /// Listens on the first free dynamic PSM.
    ///
    /// - Parameter lossReportDelay: the delay before a peer's disconnection is reported, see
    ///   ``BlueZConfiguration/lossReportDelay``.
    static func open(
        daemon: Daemon, adapter: String, lossReportDelay: Duration
    ) async throws(BlueZTransportError) -> L2CAPListener {
        guard let own = L2CAPAddress(await daemon.properties(adapter, "org.bluez.Adapter1")) else {
            throw .adapterLost
        }
        for psm in L2CAPSocket.dynamicPSMs {
            guard let socket = L2CAPSocket.bound(to: own, psm: psm), socket.listen() else { continue }
            let listener = L2CAPListener(
                socket, psm: psm, daemon: daemon, adapter: adapter, lossReportDelay: lossReportDelay)
            await listener.start()
            return listener
        }
        throw .system
    }

    private func start() async {
        await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.handleEvent(event) } }
        listen()
    }

    /// Waits for the next channel and accepts it.
    private func listen() {
        guard let descriptor = socket?.withDescriptor({ $0 }) else { return }
        reading = daemon.bus.queue.whenReady(for: .readable, on: descriptor) { [weak self] in
            self?.assumeIsolated { $0.accept() }
        }
    }

    private func handleEvent(_ event: DaemonEvent) {
        guard failure == nil, let loss = event.loss(of: adapter) else { return }
        failure = loss
        condition.signal()
    }

    /// Accepts the first channel. Then the listener is closed, so that no second channel can be opened.
    private func accept() {
        guard link == nil, socket != nil else { return }
        guard let channel = socket?.accept() else {
            // The peer has closed the channel before it was accepted.
            if [EAGAIN, ECONNABORTED, EINTR].contains(errno) { return listen() }
            failure = .system
            return condition.signal()
        }
        let device = daemon.assumeIsolated {
            $0.beginTransaction(withAddress: channel.peerAddress, at: adapter)
        }
        link = L2CAPLink(
            channel, daemon: daemon, adapter: adapter, device: device, lossReportDelay: lossReportDelay)
        stopListening()
        condition.signal()
    }

    private func stopListening() {
        daemon.bus.queue.forget(reading)
        socket = nil
    }

    /// Waits for the first peer that opens a channel.
    func accepted() async throws(BluetoothLEError) -> L2CAPLink {
        while true {
            if let failure { throw BluetoothLEError(failure) }
            if Task.isCancelled { throw .cancelled }
            if let link {
                await link.start()
                return link
            }
            // The listener was closed before a peer connected.
            if socket == nil { throw .linkLost }
            await condition.wait()
        }
    }

    /// Stops listening. An accepted channel stays open.
    func close() async {
        stopListening()
        condition.signal()
        await daemon.stopListening(self)
    }
}

extension Daemon {
    /// Begins a transaction with the peer at an address and returns the peer's path; `nil` if bluetoothd does
    /// not know the peer.
    fileprivate func beginTransaction(withAddress address: String?, at adapter: String) -> String? {
        let device = devices(at: adapter).first { $0.value["Address"]?.text == address }?.key
        if let device { beginTransaction(with: device) }
        return device
    }
}
