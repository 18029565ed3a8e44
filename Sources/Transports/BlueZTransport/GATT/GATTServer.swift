internal import Transport

/// A GATT service on one adapter, and the link to the one phone that it serves (mdoc central client mode).
///
/// The server has three phases:
///
/// - `waiting`: the service is registered and advertised. Phones and other devices may connect and subscribe.
/// - `started`: the first device that wrote 01 to the state is the client. The advertisement ends, and
///   unknown devices are disconnected (Q72, Q93). A device is unknown if it is connected, not paired with
///   this computer, and in no transaction of this process.
/// - `closed`: nothing is registered, and bluetoothd has forgotten the client (Q79, Q114).
///
/// Values from the client arrive as D-Bus calls, which name the device that wrote. Notifications go to
/// bluetoothd through a socket. If bluetoothd uses no sockets, each notification is a property change (Q110).
/// The socket does not show which devices receive a notification. Therefore no byte is sent while an unknown
/// device is connected, and an unknown device that connects later is disconnected too (Q111).
///
/// `BlueZRadio` creates the server. `ReaderService` calls ``link()`` before or after the phone has connected
/// (Q64), sets the ident when the engagement is known (Q70), and then uses the server as a link. All methods
/// and events run on the bus's queue. A server never serves a second phone.
actor GATTServer: BluetoothLEServer, BluetoothLELink {
    private enum Phase: Equatable {
        case waiting
        /// The device has written 01 to the state characteristic. It is the client, and no other device is
        /// served.
        case started(device: String)
        case closed
    }

    nonisolated let kind = BluetoothLELinkKind.server
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe daemon.unownedExecutor }
    private nonisolated let daemon: Daemon
    private let adapter: String
    private var objects: GATTServerObjects
    /// The number of the position that is reserved for the service in bluetoothd's attribute table.
    private var tablePlace: Int?
    private let configuration: BlueZConfiguration

    private var phase = Phase.waiting
    private var registration: Bus.Registration?
    private var isAdvertised = false
    private var isRegistered = false
    private var ident: [UInt8]?
    /// The reads of the ident that wait for its value.
    private var identReads: [BusMessage] = []
    private let psm: UInt16?
    /// The sockets for notifications, by the path of the device that subscribed. Newer versions of bluetoothd
    /// request a socket for each device, earlier versions request one socket for all devices.
    private var notificationSockets: [String: PacketSocket] = [:]
    /// Whether a device has subscribed without a socket, so that each notification is a property change.
    private var isNotifyingByCall = false
    /// The unknown devices that are connected and are being disconnected.
    private var unknownDevices: Set<String> = []
    /// The last error with which bluetoothd refused to disconnect an unknown device.
    private var turnAwayRefusal: PeerRefusal?
    /// The smallest ATT MTU that bluetoothd has reported.
    private var mtu: Int?
    private let inbox: LinkInbox
    /// Signalled when the phase, the subscriptions or the unknown devices change.
    private let condition: BusCondition
    private var failure: BlueZTransportError?

    init(
        _ service: GATTService, daemon: Daemon, adapter: String, number: Int, psm: UInt16?,
        configuration: BlueZConfiguration
    ) {
        self.daemon = daemon
        self.adapter = adapter
        self.configuration = configuration
        self.psm = psm
        condition = BusCondition(daemon.bus)
        inbox = LinkInbox(daemon.bus)
        objects = GATTServerObjects(
            service, number: number, usesSockets: configuration.usesSockets, hasChannel: psm != nil)
    }

    // MARK: - Registration and advertising

    /// Registers the service, then the advertisement. A phone that connects therefore always finds the
    /// service (Q64).
    func register() async throws(BlueZTransportError) {
        do throws(BusError) {
            await daemon.listen(self) { [weak self] event in self?.assumeIsolated { $0.handleEvent(event) } }
            registration = try await daemon.bus.export(objects.root) { [weak self] message in
                self?.assumeIsolated { $0.handleCall(message) } ?? false
            }
            // Each flag is set before its call, because a call that is cancelled or times out may still take
            // effect, and `close` must then undo it.
            isRegistered = true
            try await registerTable()
            isAdvertised = true
            _ = try await daemon.call(
                adapter, "org.bluez.LEAdvertisingManager1", "RegisterAdvertisement",
                [.path(objects.advertisement), .map([:])])
        } catch .refused(let refusal) where refusal.name.hasPrefix("org.bluez.Error.") {
            await close()
            throw .registrationRefused(refusal)
        } catch {
            await close()
            throw BlueZTransportError(error)
        }
        // An event may have reported the loss of the radio during these calls.
        if let failure { throw failure }
    }

    /// Registers the service at a position in bluetoothd's attribute table that is the same for every
    /// transaction (Q113). If another program uses this position, bluetoothd chooses another position.
    private func registerTable() async throws(BusError) {
        let place = await daemon.reserveTablePlace()
        tablePlace = place
        objects.setPlace(place)
        do throws(BusError) {
            try await registerApplication()
        } catch .refused {
            objects.clearPlace()
            try await registerApplication()
        }
    }

    private func registerApplication() async throws(BusError) {
        _ = try await daemon.call(
            adapter, "org.bluez.GattManager1", "RegisterApplication", [.path(objects.root), .map([:])])
    }

    /// Ends the advertisement. The service stays registered for the client.
    private func stopAdvertising() async {
        guard isAdvertised else { return }
        isAdvertised = false
        await daemon.takeBack(
            adapter, "org.bluez.LEAdvertisingManager1", "UnregisterAdvertisement",
            [.path(objects.advertisement)])
    }

    func close() async {
        guard phase != .closed else { return }
        let device = owner
        // The state changes first, so that waiting tasks end immediately even if bluetoothd hangs.
        phase = .closed
        inbox.finish(.linkLost)
        condition.signal()
        refuseIdentReads()
        await stopAdvertising()
        if let device { await daemon.remove(device, at: adapter) }
        notificationSockets.values.forEach { $0.close() }
        if isRegistered {
            isRegistered = false
            await daemon.takeBack(
                adapter, "org.bluez.GattManager1", "UnregisterApplication", [.path(objects.root)])
        }
        if let place = tablePlace.take() { await daemon.releaseTablePlace(place) }
        registration = nil
        await daemon.stopListening(self)
    }

    /// The path of the client's device; `nil` before a client has started.
    private var owner: String? {
        if case .started(let device) = phase { device } else { nil }
    }

    // MARK: - The client

    func setIdent(_ ident: [UInt8]) {
        self.ident = ident
        let reads = identReads
        identReads = []
        for read in reads { answerIdent(read) }
    }

    func link() async throws(BluetoothLEError) -> any BluetoothLELink {
        while owner == nil {
            try check()
            await condition.wait()
        }
        // Requests are sent as notifications, which only a subscribed client receives (Q73).
        let deadline = ContinuousClock.now + configuration.subscription
        while notifications == nil && !isNotifyingByCall {
            try check()
            guard ContinuousClock.now < deadline else { throw .notSubscribed }
            await condition.wait(until: deadline)
        }
        try await waitForUnknownDevicesToLeave()
        return self
    }

    private func check() throws(BluetoothLEError) {
        if let failure { throw BluetoothLEError(failure) }
        if Task.isCancelled { throw .cancelled }
        if phase == .closed || inbox.isEnded { throw .linkLost }
    }

    /// Waits until all unknown devices have disconnected (Q72, Q111).
    private func waitForUnknownDevicesToLeave() async throws(BluetoothLEError) {
        let deadline = ContinuousClock.now + configuration.turningAway
        while !unknownDevices.isEmpty {
            try check()
            guard ContinuousClock.now < deadline else {
                throw BluetoothLEError(.otherDeviceStays(turnAwayRefusal))
            }
            await condition.wait(until: deadline)
        }
    }

    /// Disconnects an unknown device.
    private func turnAway(_ device: String) {
        configuration.observe(.turnedAway)
        unknownDevices.insert(device)
        Task {
            do throws(BusError) {
                _ = try await daemon.call(device, "org.bluez.Device1", "Disconnect")
            } catch {
                // If the device stays connected, `waitForUnknownDevicesToLeave` throws this error.
                if case .refused(let refusal) = error { turnAwayRefusal = refusal }
            }
        }
    }

    // MARK: - Events from bluetoothd

    private func handleEvent(_ event: DaemonEvent) {
        if let loss = event.loss(of: adapter) { return fail(loss) }
        switch event {
        case .changed(let path, "org.bluez.Device1", let properties): deviceChanged(path, properties)
        case .removed(let path, "org.bluez.Device1") where path == owner: clientLeft()
        default: break
        }
    }

    /// Ends the server after the loss of the bus, bluetoothd or the adapter.
    private func fail(_ error: BlueZTransportError) {
        guard phase != .closed, failure == nil else { return }
        failure = error
        // The registrations were lost with the bus, bluetoothd or the adapter, so `close` must not undo them.
        isAdvertised = false
        isRegistered = false
        inbox.finish(BluetoothLEError(error))
        condition.signal()
    }

    /// Handles the connection or disconnection of a device.
    private func deviceChanged(_ path: String, _ properties: [String: BusValue]) {
        guard path.hasPrefix(adapter + "/"), let isConnected = properties["Connected"]?.flag else { return }
        switch (path == owner, isConnected) {
        case (true, false): clientLeft()
        case (false, false): unknownDevices.remove(path)
        // Before a client has started, any device may be the phone.
        case (false, true) where owner != nil:
            if daemon.assumeIsolated({ $0.isUnknownDevice(path) }) { turnAway(path) }
        default: break
        }
        condition.signal()
    }

    /// Ends the link after the client has disconnected. Values that the client wrote before disconnecting are
    /// still delivered.
    ///
    /// The end is delayed by `lossReportDelay`: when the radio is lost, bluetoothd reports the loss of the
    /// client first.
    private func clientLeft() {
        configuration.observe(.disconnected)
        let time = configuration.lossReportDelay
        Task {
            try? await Task.sleep(for: time)
            inbox.finish(.linkLost)
            condition.signal()
        }
    }

    // MARK: - Calls from bluetoothd

    /// Answers a method call of bluetoothd. Returns `false` if another program made the call, or if no object
    /// of this server has the method. sd-bus then refuses the call.
    private func handleCall(_ message: BusMessage) -> Bool {
        // Every program on the bus can call these objects. Only calls of bluetoothd are answered.
        guard daemon.assumeIsolated({ $0.isDaemon(message.sender) }) else { return false }
        let arguments = (try? message.values()) ?? []
        switch (message.interface, message.member) {
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") where message.path == objects.root:
            answer(message, [objects.managed])
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            let properties = objects.properties(at: message.path, arguments.first?.text ?? "")
            answer(message, [.map(properties ?? [:])])
        case ("org.freedesktop.DBus.Properties", "Set"):
            // bluetoothd reports the handle of the service to an application that requested one. The handle
            // is not used.
            answer(message, [])
        case (GATTServerObjects.advertisementInterface, "Release"):
            isAdvertised = false
            answer(message, [])
        case (GATTServerObjects.characteristicInterface, let method):
            guard let characteristic = objects.characteristic(at: message.path) else { return false }
            return handleCall(of: method, on: characteristic, arguments, message)
        default: return false
        }
        return true
    }

    /// Answers a method call to a characteristic. Returns `false` for a method that the characteristic does
    /// not have.
    private func handleCall(
        of method: String, on characteristic: GATTServerObjects.Characteristic, _ arguments: [BusValue],
        _ message: BusMessage
    ) -> Bool {
        let options = (arguments.last ?? .map([:])).members
        let device = options["device"]?.text ?? ""
        switch (method, characteristic) {
        case ("ReadValue", .ident): readIdent(message)
        // The characteristic exists only if there is a PSM.
        case ("ReadValue", .psm): answer(message, [.bytes([UInt8](psm: psm ?? 0))])
        case ("WriteValue", .state):
            answer(message, [])
            wroteState(arguments.first?.octets ?? [], device, options)
        case ("WriteValue", .clientToServer):
            answer(message, [])
            // Data of a device that is not the client is dropped.
            if device == owner { received(arguments.first?.octets ?? []) }
        case ("AcquireNotify", .serverToClient): acquireNotifications(message, options)
        case ("StartNotify", _):
            answer(message, [])
            subscribed(characteristic)
            if characteristic == .serverToClient { isNotifyingByCall = true }
            condition.signal()
        case ("StopNotify", _):
            answer(message, [])
            if let observed = BlueZObservation.Characteristic(rawValue: characteristic.rawValue) {
                configuration.observe(.unsubscribed(observed))
            }
            if characteristic == .serverToClient { isNotifyingByCall = false }
        // bluetoothd reports that the phone has confirmed a value.
        case ("Confirm", _): answer(message, [])
        default: return false
        }
        return true
    }

    /// Reports a new subscription to the trace.
    private func subscribed(_ characteristic: GATTServerObjects.Characteristic, usesSocket: Bool = false) {
        guard let observed = BlueZObservation.Characteristic(rawValue: characteristic.rawValue) else {
            return
        }
        configuration.observe(.subscribed(observed, usesSocket: usesSocket))
    }

    /// Handles a write to the state characteristic. The first device that writes 01 becomes the client, and
    /// later writes of the client are delivered. An unknown device is disconnected if it writes any other
    /// value, or writes after the client has started (Q72).
    private func wroteState(_ value: [UInt8], _ device: String, _ options: [String: BusValue]) {
        switch phase {
        // Without its path a device could not be told from other devices, so it cannot become the client.
        case .waiting where value == [0x01] && !device.isEmpty:
            phase = .started(device: device)
            record(mtu: options["mtu"], .stateWrite)
            observePhone(device)
            let unknownDevices = daemon.assumeIsolated { daemon in
                daemon.beginTransaction(with: device)
                return daemon.unknownDevices(at: adapter)
            }
            unknownDevices.forEach(turnAway)
            Task { await stopAdvertising() }
            condition.signal()
        case .started(device):  // Written by the client itself.
            inbox.insert(.state(value))
        case .waiting, .started:
            if daemon.assumeIsolated({ $0.isUnknownDevice(device) }) { turnAway(device) }
        case .closed: break
        }
    }

    /// Accepts a data value from the client. If the inbox is full, the link ends, because each value comes in
    /// a D-Bus call and there is no way to slow the client down.
    private func received(_ value: [UInt8]) {
        guard inbox.hasRoom else { return inbox.finish(.linkLost) }
        inbox.insert(.data(value))
    }

    /// Reports to the trace whether the phone's address is random.
    private func observePhone(_ device: String) {
        let type = daemon.assumeIsolated { $0.properties(device, "org.bluez.Device1")?["AddressType"]?.text }
        configuration.observe(.phone(addressIsRandom: type.map { $0 == "random" }))
    }

    /// Records an ATT MTU that bluetoothd has reported, for the trace and for `packetLimit`. Values below 23,
    /// the minimum of ATT, are ignored.
    private func record(mtu value: BusValue?, _ source: BlueZObservation.MTUSource) {
        guard let value = value?.number, value >= 23 else { return }
        configuration.observe(.mtu(value, source))
        mtu = min(mtu ?? value, value)
    }

    // MARK: - Ident

    /// Answers a read of the ident, now or as soon as its value is known. If the value is not known within
    /// the time `BlueZConfiguration.ident`, the read is refused (Q70).
    private func readIdent(_ message: BusMessage) {
        configuration.observe(.identRead)
        if ident != nil { return answerIdent(message) }
        identReads.append(message)
        // The first waiting read starts the timer. When the timer ends, all waiting reads are refused.
        guard identReads.count == 1 else { return }
        let limit = configuration.ident
        Task {
            try await Task.sleep(for: limit, clock: .continuous)
            self.refuseIdentReads()
        }
    }

    private func answerIdent(_ message: BusMessage) {
        guard let ident else { return }
        answer(message, [.bytes(ident)])
        configuration.observe(.identAnswered)
    }

    /// Refuses all reads of the ident that wait for its value.
    private func refuseIdentReads() {
        let reads = identReads
        identReads = []
        for read in reads {
            refuse(read)
            configuration.observe(.identRefused)
        }
    }

    private func answer(_ message: BusMessage, _ values: [BusValue]) {
        daemon.bus.assumeIsolated { $0.answer(message, values) }
    }

    private func refuse(_ message: BusMessage) {
        daemon.bus.assumeIsolated { $0.refuse(message, "org.bluez.Error.Failed") }
    }

    // MARK: - Sockets

    /// Answers `AcquireNotify`: bluetoothd gets a socket from which it reads the notifications for a device.
    private func acquireNotifications(
        _ message: BusMessage, _ options: [String: BusValue]
    ) {
        guard let socket = handOver(message, options) else { return refuse(message) }
        subscribed(.serverToClient, usesSocket: true)
        record(mtu: options["mtu"], .notifySocket)
        let device = options["device"]?.text ?? ""
        notificationSockets.updateValue(socket, forKey: device)?.close()
        // bluetoothd sends nothing through this socket. It is read only to notice that bluetoothd has closed
        // it.
        socket.start(received: { _ in true }) { [weak self] in
            self?.assumeIsolated { $0.notificationsEnded(socket, device) }
        }
        condition.signal()
    }

    private func notificationsEnded(_ socket: PacketSocket, _ device: String) {
        if notificationSockets[device] === socket { notificationSockets[device] = nil }
    }

    /// The socket for notifications to the client. Older versions of bluetoothd have one socket for all
    /// devices.
    private var notifications: PacketSocket? {
        owner.flatMap { notificationSockets[$0] } ?? notificationSockets.values.first
    }

    /// Creates a pair of sockets and sends one of them to bluetoothd, as the answer to its `AcquireNotify`.
    private func handOver(
        _ message: BusMessage, _ options: [String: BusValue]
    ) -> PacketSocket? {
        guard let pair = PacketSocketPair() else { return nil }
        // The answer must contain an MTU. If bluetoothd reports no MTU, the answer contains the minimum of
        // ATT.
        let mtu = options["mtu"]?.number ?? 23
        answer(
            message, [.descriptor(BusDescriptor(owning: pair.other)), .uint16(UInt16(clamping: mtu))])
        // No value has more than 512 bytes, so 1024 are enough.
        return PacketSocket(owning: pair.own, longest: 1024, queue: daemon.bus.queue)
    }

    // MARK: - The link

    /// The maximum length of a value: the MTU less five bytes, but at most 512.
    ///
    /// A notification has room for the MTU less three bytes. The limit is two bytes lower, because bluetoothd
    /// truncates a longer notification when it packs several notifications together (Q102).
    var packetLimit: Int { max(min(512, (mtu ?? 23) - 5), 2) }

    func receive() async throws(BluetoothLEError) -> BluetoothLEPacket {
        try await inbox.next()
    }

    func interrupt() { inbox.stopWaiting() }

    func send(_ head: PacketHead, _ body: ArraySlice<UInt8>) async throws(BluetoothLEError) {
        // No byte is sent while an unknown device could receive it (Q111).
        if !unknownDevices.isEmpty { try await waitForUnknownDevicesToLeave() }
        while true {
            try check()
            guard let notifications else { return try sendByCall(head, body) }
            switch notifications.send(head, body) {
            case .taken: return
            case .closed: throw .linkLost
            case .full: await notifications.room()
            }
        }
    }

    /// Sends a notification as a property change, if a device has subscribed without a socket.
    private func sendByCall(_ head: PacketHead, _ body: ArraySlice<UInt8>) throws(BluetoothLEError) {
        guard isNotifyingByCall else { throw .linkLost }
        notify(.serverToClient, unsafe head.withBytes { unsafe Array($0) } + body)
    }

    func signal(_ state: UInt8) async throws(BluetoothLEError) {
        try check()
        notify(.state, [state])
    }

    /// Sends a value as a D-Bus property change, which bluetoothd passes on as a notification.
    private func notify(_ characteristic: GATTServerObjects.Characteristic, _ value: [UInt8]) {
        let path = objects.path(characteristic)
        daemon.bus.assumeIsolated {
            $0.propertyChanged(
                path, GATTServerObjects.characteristicInterface, "Value",
                .bytes(value))
        }
    }
}

extension [UInt8] {
    /// Encodes a PSM for its characteristic: four bytes, big-endian.
    fileprivate init(psm: UInt16) {
        self = [0, 0, UInt8(psm >> 8), UInt8(truncatingIfNeeded: psm)]
    }
}
