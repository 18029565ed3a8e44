package import MdocModel
package import MdocSession
package import NDEF
package import Transport

/// What a phone offers by Bluetooth: the modes it has, and the UUID of each.
package struct BluetoothOffer: Equatable, Sendable {
    package var centralClient: BluetoothUUID?
    package var peripheralServer: BluetoothUUID?
    /// The phone's L2CAP channel in mdoc peripheral server mode.
    package var psm: L2CAPPSM?

    package init(_ carrier: NFCBluetoothLECarrier) {
        centralClient = carrier.centralClientUUID
        peripheralServer = carrier.peripheralServerUUID
        psm = carrier.outOfBand.protocolServiceMultiplexer.flatMap { L2CAPPSM($0) }
    }

    /// What an NFC v2 handover settled.
    package init(_ choice: NFCVersion2BluetoothChoice) {
        (centralClient, peripheralServer) = (choice.centralClient, choice.peripheralServer)
        psm = choice.psm.flatMap { L2CAPPSM(Int($0)) }
    }

    /// Nil if the engagement has no mode with a UUID.
    package init?(_ engagement: DeviceEngagement) {
        for case .ble(let options) in engagement.retrievalMethods {
            centralClient = options.centralClientUUID.flatMap { BluetoothUUID($0) }
            peripheralServer = options.peripheralServerUUID.flatMap { BluetoothUUID($0) }
            psm = options.peripheralServerPSM.flatMap { L2CAPPSM($0) }
        }
        if centralClient == nil && peripheralServer == nil { return nil }
    }
}

/// The Bluetooth of one transaction: what is advertised for it, and the resulting link.
actor BluetoothRetrieval {
    /// The UUID of the next engagement alone, so that no earlier customer's phone finds us, nor one whose engagement was
    /// replaced (Q91, Q93, Q207).
    private(set) var uuid: BluetoothUUID
    private let radio: any BluetoothLERadio
    private let plan: RetrievalPlan
    private var server: (uuid: BluetoothUUID, server: any BluetoothLEServer)?

    init(_ radio: any BluetoothLERadio, plan: RetrievalPlan) {
        self.radio = radio
        self.plan = plan
        uuid = .random()
    }

    /// What the Handover Request says of us: both modes, by role 03 whatever the plan prefers, as the readers do that
    /// real wallets have answered (Q204).
    var handoverOffer: NFCOffer.BluetoothLE {
        NFCOffer.BluetoothLE(serviceUUID: uuid, role: .bothCentralPreferred)
    }

    /// Advertises our UUID before the tap, so that the phone finds us at once (Q91).
    func arm() async throws(BluetoothLEError) {
        try await serve(uuid)
    }

    /// Takes another UUID for the next engagement. What is advertised for the one before stays until it is closed.
    func renew() {
        uuid = .random()
    }

    /// Waits for the next phone, after one that did not connect. If that cannot be advertised now, it is once a phone
    /// is engaged.
    func rearm() async {
        await close()
        renew()
        try? await arm()
    }

    /// The link to the phone, once one side has started.
    func link(
        to offer: BluetoothOffer, engaged engagement: DeviceEngagement
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        switch (offer.centralClient, offer.peripheralServer, plan.mode) {
        case (let central?, let peripheral?, .race):
            return try await race(
                central: central, peripheral: peripheral, psm: offer.psm, engaged: engagement)
        case (_, let peripheral?, .peripheralServer): return try await connect(peripheral, offer.psm)
        case (let central?, _, _): return try await accept(central, engagement)
        case (nil, let peripheral?, _): return try await connect(peripheral, offer.psm)
        case (nil, nil, _): throw .serviceIncomplete
        }
    }

    /// Takes everything off the air. The link, where there is one, is its holder's.
    func close() async {
        await server?.server.close()
        server = nil
    }

    // MARK: - mdoc central client mode

    private func serve(_ uuid: BluetoothUUID) async throws(BluetoothLEError) {
        server = (uuid, try await radio.serve(GATTService(.mdocCentralClient(uuid))))
    }

    private func accept(
        _ uuid: BluetoothUUID, _ engagement: DeviceEngagement
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        if server?.uuid != uuid {
            // The phone has chosen its own UUID: no phone will connect to ours, and many adapters can advertise
            // only one of the two at a time.
            let needless = server
            server = nil
            async let closing: Void? = needless?.server.close()
            try await serve(uuid)
            await closing
        }
        guard let server = server?.server, let ident = try? BLEIdent(for: engagement) else {
            throw .serviceIncomplete
        }
        await server.setIdent(ident.bytes)
        let link = try await server.link()
        self.server = nil
        return link
    }

    // MARK: - mdoc peripheral server mode

    /// L2CAP first if the plan says so, then the characteristics, inside the caller's time. Over L2CAP there is no
    /// start to be written.
    private func connect(
        _ uuid: BluetoothUUID, _ psm: L2CAPPSM?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        if plan.mode != .race { await close() }
        let engaged = plan.l2cap == .never ? nil : psm
        if let psm = engaged {
            let attempt = await bounded(by: .now + Self.l2capTime) { [radio] () throws(BluetoothLEError) in
                try await radio.connect(to: uuid, psm: psm.value)
            }
            if let link = try? attempt.get() { return link }
            if Task.isCancelled { throw .cancelled }
        }
        do throws(BluetoothLEError) {
            return try await startedLink(uuid, after: engaged)
        } catch .linkLost {
            // It may come again, but is not waited for all the time that there is (Q82).
            let second = await bounded(by: .now + Self.returnTime) { () throws(BluetoothLEError) in
                try await self.startedLink(uuid, after: engaged)
            }
            if case .failure(.cancelled) = second, !Task.isCancelled { throw .linkLost }
            return try second.get()
        }
    }

    /// - Throws: `linkLost` if the phone disconnected before the start was sent.
    private func startedLink(
        _ uuid: BluetoothUUID, after psm: L2CAPPSM?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let link = try await radio.connect(
            to: GATTService(.mdocPeripheralServer(uuid)), choosing: channelChoice(after: psm))
        guard link.kind != .l2cap else { return link }
        do throws(BluetoothLEError) {
            try await link.signal(BLEStateValue.start.rawValue)
        } catch {
            await link.close()
            throw error
        }
        return link
    }

    /// Nil if the characteristic is not to be read. The channel that was `tried` does not open a moment later.
    private func channelChoice(after tried: L2CAPPSM?) -> ChannelChoice? {
        guard plan.l2cap == .characteristic else { return nil }
        return { named in
            let psm = try? L2CAPPSM.parse(named[...])
            return psm == tried ? nil : psm?.value
        }
    }

    /// For an L2CAP channel that the engagement names, of the time for a link: the rest is left to the characteristics.
    private static let l2capTime: Duration = .seconds(10)

    /// How long to wait for a phone that disconnected before the start was sent.
    private static let returnTime: Duration = .seconds(10)

    // MARK: - Both

    private func race(
        central: BluetoothUUID, peripheral: BluetoothUUID, psm: L2CAPPSM?,
        engaged engagement: DeviceEngagement
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let result = await firstLink(
            { () throws(BluetoothLEError) in try await self.accept(central, engagement) },
            { () throws(BluetoothLEError) in try await self.connect(peripheral, psm) })
        await close()
        return try result.get()
    }
}

extension BluetoothUUID {
    /// A random UUID (RFC 9562, 5.4).
    static func random() -> BluetoothUUID {
        let high = UInt64.random(in: .min ... .max) & ~0xf000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62
        return BluetoothUUID(high: high, low: low)
    }
}

extension GATTService {
    /// The service of a mode, for either side.
    package init(_ service: BLEService) {
        self.init(
            uuid: service.uuid, state: service.state, clientToServer: service.client2Server,
            serverToClient: service.server2Client, ident: service.ident, psm: service.l2CAP)
    }
}

package typealias LinkResult = Result<any BluetoothLELink, BluetoothLEError>

/// Tries both ways at once: the first link wins. The other way is cancelled; if it made a link too, that link is
/// closed.
package func firstLink(
    _ one: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink,
    _ other: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink
) async -> LinkResult {
    await withTaskGroup(of: LinkResult.self) { group in
        group.addTask { await ended { () throws(BluetoothLEError) in try await one() } }
        group.addTask { await ended { () throws(BluetoothLEError) in try await other() } }
        var winner: LinkResult = .failure(.cancelled)
        for await finished in group {
            if case .success = winner {
                if case .success(let second) = finished { await second.close() }
                continue
            }
            winner = finished
            if case .success = finished { group.cancelAll() }
        }
        return winner
    }
}

/// The notices that people see while an engaged phone has not connected over Bluetooth, as a value that is fed with time.
struct ConnectionNotices {
    /// The notices that are still to come, each at its instant.
    private var pending: ArraySlice<(instant: ContinuousClock.Instant, event: PresentationEvent)>

    /// - Parameter engaged: the instant at which the engagement was complete.
    init(_ deadlines: PresentationDeadlines, engaged: ContinuousClock.Instant) {
        pending = [
            (engaged + deadlines.connecting, .connecting),
            (engaged + deadlines.checkBluetooth, .checkBluetooth),
        ]
    }

    /// The instant of the next notice; nil after the last.
    var deadline: ContinuousClock.Instant? { pending.first?.instant }

    /// Returns the next notice if its instant has come.
    mutating func expire(now: ContinuousClock.Instant) -> PresentationEvent? {
        guard let next = pending.first, now >= next.instant else { return nil }
        return pending.removeFirst().event
    }

    /// Reports each notice at its instant while `connecting` makes the link, and none once that returns.
    func during<Value>(
        report: @escaping @Sendable (PresentationEvent) -> Void, _ connecting: () async -> Value
    ) async -> Value {
        async let _: Void = notify(report)
        return await connecting()
    }

    /// Ends early when it is cancelled, which happens when the link is made.
    private func notify(_ report: @Sendable (PresentationEvent) -> Void) async {
        var notices = self
        while let deadline = notices.deadline {
            try? await Task.sleep(until: deadline, clock: .continuous)
            guard !Task.isCancelled else { return }
            if let event = notices.expire(now: .now) { report(event) }
        }
    }
}
