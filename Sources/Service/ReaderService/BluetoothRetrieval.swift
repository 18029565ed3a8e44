package import MdocModel
package import MdocSession
package import NDEF
package import Transport

/// The Bluetooth modes that a phone offers, each with the UUID of its GATT service.
package struct BluetoothOffer: Equatable, Sendable {
    /// The service UUID of mdoc central client mode, in which the phone connects to this reader.
    package var centralClient: BluetoothUUID?
    /// The service UUID of mdoc peripheral server mode, in which this reader connects to the phone.
    package var peripheralServer: BluetoothUUID?
    /// The PSM of the phone's L2CAP channel in mdoc peripheral server mode.
    package var psm: L2CAPPSM?

    /// Reads the offer from the Bluetooth carrier of a classic NFC handover.
    package init(_ carrier: NFCBluetoothLECarrier) {
        centralClient = carrier.centralClientUUID
        peripheralServer = carrier.peripheralServerUUID
        psm = carrier.outOfBand.protocolServiceMultiplexer.flatMap { L2CAPPSM($0) }
    }

    /// Reads the offer from the phone's choice in an NFC v2 handover.
    package init(_ choice: NFCVersion2BluetoothChoice) {
        (centralClient, peripheralServer) = (choice.centralClient, choice.peripheralServer)
        psm = choice.psm.flatMap { L2CAPPSM(Int($0)) }
    }

    /// Reads the offer from an engagement; `nil` if the engagement has no Bluetooth mode with a UUID.
    package init?(_ engagement: DeviceEngagement) {
        for case .ble(let options) in engagement.retrievalMethods {
            centralClient = options.centralClientUUID.flatMap { BluetoothUUID($0) }
            peripheralServer = options.peripheralServerUUID.flatMap { BluetoothUUID($0) }
            psm = options.peripheralServerPSM.flatMap { L2CAPPSM($0) }
        }
        if centralClient == nil && peripheralServer == nil { return nil }
    }
}

/// The Bluetooth side of one transaction: the advertised service and the resulting link (ISO/IEC 18013-5,
/// 8.3.3.1.1).
///
/// A run of a `ReaderTransaction` makes one retrieval and uses it in this order:
/// 1. `arm()` advertises `uuid` before the tap.
/// 2. The phone is engaged over NFC. The Handover Request contains `handoverOffer`.
/// 3. `link(to:engaged:)` makes the link in the mode that the phone's offer and the plan allow: the phone
///    connects (mdoc central client mode), this reader connects (mdoc peripheral server mode), or both modes
///    are tried at the same time.
/// 4. `close()` stops advertising.
///
/// If another tap replaces an engagement, `renew()` draws another UUID (Q207). After a phone did not connect,
/// `rearm()` advertises another UUID for the next phone. The link belongs to the caller, who limits the time
/// for the link and closes it.
actor BluetoothRetrieval {
    /// The UUID of the next engagement. Each engagement has another UUID, so that neither the phone of an
    /// earlier customer nor the phone of a replaced engagement finds this reader (Q91, Q93, Q207).
    private(set) var uuid: BluetoothUUID
    private let radio: any BluetoothLERadio
    private let plan: RetrievalPlan
    /// The service that is registered and advertised, with its UUID; `nil` if no service is registered.
    private var server: (uuid: BluetoothUUID, server: any BluetoothLEServer)?

    init(_ radio: any BluetoothLERadio, plan: RetrievalPlan) {
        self.radio = radio
        self.plan = plan
        uuid = .random()
    }

    /// The Bluetooth carrier of this reader's Handover Request. The carrier offers both modes with LE role
    /// 03, whatever mode the plan prefers, because real wallets have answered readers that send this role
    /// (Q204).
    var handoverOffer: NFCOffer.BluetoothLE {
        NFCOffer.BluetoothLE(serviceUUID: uuid, role: .bothCentralPreferred)
    }

    /// Advertises `uuid` before the tap, so that the phone finds this reader without delay (Q91).
    func arm() async throws(BluetoothLEError) {
        try await serve(uuid)
    }

    /// Draws another UUID for the next engagement. The previous UUID stays advertised until its server is
    /// closed.
    func renew() {
        uuid = .random()
    }

    /// Prepares for the next phone after a phone did not connect: stops advertising, and advertises another
    /// UUID. If advertising fails here, `accept` tries again once a phone is engaged.
    func rearm() async {
        await close()
        renew()
        try? await arm()
    }

    /// Returns the link to an engaged phone once one side has started the transfer.
    func link(
        to offer: BluetoothOffer, engaged engagement: DeviceEngagement
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        switch (offer.centralClient, offer.peripheralServer, plan.mode) {
        case (let central?, let peripheral?, .race):
            return try await race(
                central: central, peripheral: peripheral, psm: offer.psm, engaged: engagement)
        case (_, let peripheral?, .peripheralServer): return try await connect(peripheral, offer.psm)
        // If a phone offers one mode only, that mode is used, whatever the plan prefers.
        case (let central?, _, _): return try await accept(central, engagement)
        case (nil, let peripheral?, _): return try await connect(peripheral, offer.psm)
        case (nil, nil, _): throw .serviceIncomplete
        }
    }

    /// Stops advertising. A link that was made stays open, because it belongs to the caller of
    /// `link(to:engaged:)`.
    func close() async {
        await server?.server.close()
        server = nil
    }

    // MARK: - mdoc central client mode

    /// Registers and advertises the service with this UUID.
    private func serve(_ uuid: BluetoothUUID) async throws(BluetoothLEError) {
        server = (uuid, try await radio.serve(GATTService(.mdocCentralClient(uuid))))
    }

    /// Waits for the connection of the phone to the service with this UUID.
    private func accept(
        _ uuid: BluetoothUUID, _ engagement: DeviceEngagement
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        if server?.uuid != uuid {
            // The phone chose another UUID, so no phone will connect to the advertised service. The service
            // is withdrawn, because many adapters can advertise only one service at a time. The phone already
            // looks for the service with the UUID that it chose. That service is therefore registered while
            // the other one is still being withdrawn.
            let needless = server
            server = nil
            async let closing: Void? = needless?.server.close()
            try await serve(uuid)
            await closing
        }
        // Without an Ident this reader cannot offer the complete service.
        guard let server = server?.server, let ident = try? BLEIdent(for: engagement) else {
            throw .serviceIncomplete
        }
        // The Ident is derived from the phone's key, which is known only since the engagement.
        await server.setIdent(ident.bytes)
        let link = try await server.link()
        // The link keeps the server in use, so `close()` must not close the server.
        self.server = nil
        return link
    }

    // MARK: - mdoc peripheral server mode

    /// Connects to the phone: over L2CAP first if the plan allows it, then over the GATT characteristics. The
    /// deadline of the caller limits both attempts together.
    private func connect(
        _ uuid: BluetoothUUID, _ psm: L2CAPPSM?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        // In a race the service stays advertised, because `accept` waits for the phone at the same time.
        if plan.mode != .race { await close() }
        let named = plan.l2cap == .never ? nil : psm
        if let psm = named {
            let attempt = await bounded(by: .now + Self.l2capTime) { [radio] () throws(BluetoothLEError) in
                try await radio.connect(to: uuid, psm: psm.value)
            }
            // If the channel fails for any other reason than cancellation, the characteristics are tried.
            if let link = try? attempt.get() { return link }
            if Task.isCancelled { throw .cancelled }
        }
        do throws(BluetoothLEError) {
            return try await startedLink(uuid, after: named)
        } catch .linkLost {
            // Some phones drop their first connection and connect again (Q82). A phone that stays away must
            // not use up the whole time for the link.
            let second = await bounded(by: .now + Self.returnTime) { () throws(BluetoothLEError) in
                try await self.startedLink(uuid, after: named)
            }
            // The time for the second connection is over, which counts as `linkLost`. The error `cancelled`
            // is only for a cancellation by the caller.
            if case .failure(.cancelled) = second, !Task.isCancelled { throw .linkLost }
            return try second.get()
        }
    }

    /// Connects to the phone and writes the start to its State characteristic.
    ///
    /// - Throws: `linkLost` if the phone disconnected before the start was sent.
    private func startedLink(
        _ uuid: BluetoothUUID, after psm: L2CAPPSM?
    ) async throws(BluetoothLEError) -> any BluetoothLELink {
        let link = try await radio.connect(
            to: GATTService(.mdocPeripheralServer(uuid)), choosing: channelChoice(after: psm))
        // An L2CAP channel has no State characteristic and needs no start.
        guard link.kind != .l2cap else { return link }
        do throws(BluetoothLEError) {
            try await link.signal(BLEStateValue.start.rawValue)
        } catch {
            await link.close()
            throw error
        }
        return link
    }

    /// The function that decides, from the value of the phone's L2CAP characteristic, which L2CAP channel to
    /// open; `nil` if the plan does not read that characteristic. The function never chooses the channel
    /// `tried`, because that channel has just failed to open.
    private func channelChoice(after tried: L2CAPPSM?) -> ChannelChoice? {
        guard plan.l2cap == .characteristic else { return nil }
        return { named in
            // A malformed value gives no channel.
            let psm = try? L2CAPPSM.parse(named[...])
            return psm == tried ? nil : psm?.value
        }
    }

    /// The maximum time for an L2CAP channel that the engagement names. The rest of the time for a link
    /// remains for an attempt over the GATT characteristics.
    private static let l2capTime: Duration = .seconds(10)

    /// The maximum time for a second connection to a phone that disconnected before the start was sent.
    private static let returnTime: Duration = .seconds(10)

    // MARK: - Both modes at once

    /// Tries both modes at the same time, and stops advertising as soon as the link of one mode has started.
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
    /// Returns a random UUID (RFC 9562, 5.4).
    static func random() -> BluetoothUUID {
        // The fixed bits are the version 4 and the variant 0b10 of RFC 9562.
        let high = UInt64.random(in: .min ... .max) & ~0xf000 | 0x4000
        let low = UInt64.random(in: .min ... .max) & ~(0b11 << 62) | 0b10 << 62
        return BluetoothUUID(high: high, low: low)
    }
}

extension GATTService {
    /// Creates the GATT service of an mdoc mode, for its server or its client.
    package init(_ service: BLEService) {
        self.init(
            uuid: service.uuid, state: service.state, clientToServer: service.client2Server,
            serverToClient: service.server2Client, ident: service.ident, psm: service.l2CAP)
    }
}

/// A link, or the reason why it could not be made.
package typealias LinkResult = Result<any BluetoothLELink, BluetoothLEError>

/// Makes a link by two attempts at the same time. The first link wins and the other attempt is cancelled; a
/// link that the other attempt still makes is closed.
///
/// - Returns: the first link or, if both attempts fail, the failure of the attempt that ended later.
package func firstLink(
    _ one: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink,
    _ other: @escaping @Sendable () async throws(BluetoothLEError) -> any BluetoothLELink
) async -> LinkResult {
    await withTaskGroup(of: LinkResult.self) { group in
        group.addTask { await catching { () throws(BluetoothLEError) in try await one() } }
        group.addTask { await catching { () throws(BluetoothLEError) in try await other() } }
        // Replaced as soon as the first attempt has ended.
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

/// The notices for the holder and the operator while an engaged phone has not connected over Bluetooth:
/// `connecting` comes first, `checkBluetooth` later.
struct ConnectionNotices {
    /// The notices still to be reported, each with its instant.
    private var pending: ArraySlice<(instant: ContinuousClock.Instant, event: PresentationEvent)>

    /// - Parameter engaged: the instant at which the engagement was complete.
    init(_ deadlines: PresentationDeadlines, engaged: ContinuousClock.Instant) {
        pending = [
            (engaged + deadlines.connecting, .connecting),
            (engaged + deadlines.checkBluetooth, .checkBluetooth),
        ]
    }

    /// The instant of the next notice; `nil` after the last.
    var deadline: ContinuousClock.Instant? { pending.first?.instant }

    /// Returns the next notice if its instant has come.
    mutating func expire(now: ContinuousClock.Instant) -> PresentationEvent? {
        guard let next = pending.first, now >= next.instant else { return nil }
        return pending.removeFirst().event
    }

    /// Reports each notice at its instant while the function `connecting` makes the link, and no notice after
    /// that function has returned.
    func during<Value>(
        report: @escaping @Sendable (PresentationEvent) -> Void, _ connecting: () async -> Value
    ) async -> Value {
        // Swift cancels this child task when the function returns.
        async let _: Void = notify(report)
        return await connecting()
    }

    /// Waits for the notices and reports them. `during` cancels this wait when the link is made.
    private func notify(_ report: @Sendable (PresentationEvent) -> Void) async {
        var notices = self
        while let deadline = notices.deadline {
            try? await Task.sleep(until: deadline, clock: .continuous)
            guard !Task.isCancelled else { return }
            if let event = notices.expire(now: .now) { report(event) }
        }
    }
}
