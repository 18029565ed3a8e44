internal import ErrorMapping
package import MdocModel
internal import MdocSession
internal import NDEF
package import Transport

extension ReaderTransaction {
    /// Waits for a phone at the reader, engages it by NFC, and retrieves over Bluetooth or NFC.
    ///
    /// - Parameter radio: without a radio, everything is transferred over NFC.
    package func run(at reader: any ContactlessReader, radio: (any BluetoothLERadio)? = nil) async
        -> Presentation
    {
        await timed { progress throws(PresentationFailure) in
            let bluetooth = try await armed(radio)
            let result = await ended { () throws(PresentationFailure) in
                try await present(at: reader, scanned: nil, bluetooth, &progress)
            }
            await bluetooth?.close()
            return try result.get()
        }
    }

    /// Waits for the phone whose QR code was scanned, and retrieves over NFC (Q55).
    package func run(at reader: any ContactlessReader, scanned engagement: DeviceEngagement) async
        -> Presentation
    {
        await timed { progress throws(PresentationFailure) in
            guard engagement.nfcCarrier != nil else { throw .noUsableRetrieval }
            return try await present(at: reader, scanned: engagement, nil, &progress)
        }
    }

    /// Waits for taps until one is complete. Each starts again; none resumes another (Q2).
    private func present(
        at reader: any ContactlessReader, scanned: DeviceEngagement?, _ bluetooth: BluetoothRetrieval?,
        _ progress: inout Progress
    ) async throws(PresentationFailure) -> Ending {
        var taps = TapSeries(
            plan.deadlines, hasNFC: plan.retrieval.transport != .bluetoothLE,
            version2: plan.retrieval.nfcVersion2)
        var key = ReadyKey()
        await reader.beginPresentation()
        report(.armed)
        while true {
            key.prepare()
            switch try await arrival(at: reader, taps) {
            case .none: taps.noteLifted().forEach(report)
            case .silence: report(.readerSilent)
            case .mute(let stay):
                let reason = NFCEndReason(.selectApplication, .cardMute)
                try taps.note(.broken(reason), stay: stay).forEach(report)
            case .card(var card):
                progress = Progress()
                let air = taps.offersBluetooth ? bluetooth : nil
                let result = await ended { () throws(TapEnd) in
                    try await tap(
                        &card, at: reader, scanned: scanned, air, version2: taps.triesVersion2, key: &key,
                        &progress)
                }
                await letGo(of: card)
                do throws(TapEnd) {
                    return try result.get()
                } catch {
                    if case .unconnected = error { await bluetooth?.rearm() }
                    try taps.note(error, stay: card.stay).forEach(report)
                }
            }
        }
    }

    /// Powers the phone down; a reader that hangs does not keep the answer from being shown.
    func letGo(of card: any ContactlessCard) async {
        let timeout = plan.deadlines.termination
        _ = await bounded(by: .now + timeout, grace: timeout) { () throws(Never) in await card.release() }
    }

    /// What came of waiting for a phone.
    private enum Arrival {
        case card(any ContactlessCard)
        /// Something that does not answer to power-up.
        case mute(stay: Int)
        /// The phone of the last tap did not stay.
        case none
        /// The reader does not answer; it may recover (Q212).
        case silence
    }

    private func arrival(
        at reader: any ContactlessReader, _ taps: TapSeries
    ) async throws(PresentationFailure) -> Arrival {
        guard !taps.isOverdue else { throw taps.failure }
        let (again, deadline) = (taps.again, taps.nextWait)
        let result = await bounded(by: deadline) { () throws(ContactlessError) in
            try await reader.nextCard(again: again)
        }
        do throws(ContactlessError) {
            return .card(try result.get())
        } catch .cardMute(let stay) {
            return .mute(stay: stay)
        } catch {
            if Task.isCancelled { throw .cancelled }
            if ContinuousClock.now >= deadline, !taps.isOverdue { return .none }
            guard case .readerUnavailable(let fault) = error else { throw taps.failure }
            if fault == .readerBlocked, !taps.isOverdue { return .silence }
            throw .readerUnavailable(fault)
        }
    }

    /// One tap, from a phone in the field to the verdict on its answer.
    ///
    /// - Parameter card: the phone that is in the field; a later one where that one's engagement was replaced.
    private func tap(
        _ card: inout any ContactlessCard, at reader: any ContactlessReader, scanned: DeviceEngagement?,
        _ bluetooth: BluetoothRetrieval?, version2: Bool, key: inout ReadyKey, _ progress: inout Progress
    ) async throws(TapEnd) -> Ending {
        if let scanned { return try await retrieve(scanned, driver(for: card), key: &key, &progress) }
        var engaged = try await engage(driver(for: card), bluetooth, version2: version2)
        while true {
            progress.times.end(.engagement)
            report(.engaged)
            var exchange = try newExchange(of: engaged, key: &key)
            if let bluetooth, let offer = engaged.bluetooth, let transfer = engaged.transfer {
                report(.mayLift)
                let retrieval = NFCRetrieval(driver(for: card), engaged: transfer)
                var carrier = await hybrid(
                    retrieval, bluetooth, offer, engaged.engagement, progress.notes)
                return try await complete(&exchange, over: &carrier, &progress)
            }
            guard let bluetooth, let offer = engaged.bluetooth else {
                report(.hold)
                var retrieval = try await retrieval(from: driver(for: card), engaged)
                do throws(TapEnd) {
                    return try await complete(&exchange, over: &retrieval, &progress)
                } catch {
                    throw engaged.transfer == nil ? error : error.ofVersion2
                }
            }
            // The phone may be lifted: everything else comes through the air.
            await letGo(of: card)
            report(.mayLift)
            key.prepare()
            switch try await connection(to: offer, engaged.engagement, bluetooth, at: reader) {
            case .link(let link):
                do throws(PresentationFailure) {
                    return try await complete(&exchange, over: link, &progress)
                } catch {
                    throw .failed(error)
                }
            case .tap(let another, let newer): (card, engaged) = (another, newer)
            }
        }
    }

    /// The data transfer with an engaged phone, on its application.
    private func retrieval(from driver: CardDriver, _ engaged: Engaged) async throws(TapEnd) -> NFCRetrieval {
        if let transfer = engaged.transfer { return NFCRetrieval(driver, engaged: transfer) }
        var retrieval = NFCRetrieval(driver, engaged.nfc, plan.deadlines.transferSettings)
        try await retrieval.select(isFirst: false)
        return retrieval
    }

    func driver(for card: any ContactlessCard) -> CardDriver {
        CardDriver(card: card, grace: plan.deadlines.termination)
    }

    private func newExchange(
        of engaged: Engaged, key: inout ReadyKey
    ) throws(TapEnd) -> RequestExchange {
        try mapping(newExchange(engaged.engagement, engaged.handover, key: &key), TapEnd.failed)
    }

    /// The tap of a phone whose QR code was scanned.
    private func retrieve(
        _ scanned: DeviceEngagement, _ driver: CardDriver, key: inout ReadyKey, _ progress: inout Progress
    ) async throws(TapEnd) -> Ending {
        var retrieval = NFCRetrieval(driver, scanned.nfcCarrier, plan.deadlines.transferSettings)
        // Only now it is known that the phone is unlocked and shows its wallet.
        try await retrieval.select(isFirst: true)
        progress.times.end(.engagement)
        report(.engaged)
        report(.hold)
        var exchange = try mapping(newExchange(scanned, .qr, key: &key), TapEnd.failed)
        return try await complete(&exchange, over: &retrieval, &progress)
    }

    /// What an engagement by NFC yields.
    struct Engaged {
        let engagement: DeviceEngagement
        let handover: Handover
        let nfc: NFCCarrier?
        let bluetooth: BluetoothOffer?
        /// The application that an NFC v2 engagement left selected.
        var transfer: NFCTransferReader?
    }

    func engage(
        _ driver: CardDriver, _ bluetooth: BluetoothRetrieval?, version2: Bool = false
    ) async throws(TapEnd) -> Engaged {
        if version2, let engaged = try await engageByVersion2(driver, bluetooth) { return engaged }
        let limits = driver.card.readerLimits
        let offer = NFCOffer(
            bluetoothLE: await bluetooth?.handoverOffer,
            nfc: plan.retrieval.transport == .bluetoothLE ? nil : limits.carrier)
        var machine = NFCEngagementReader(
            limits: limits, offer: offer, settings: plan.deadlines.engagementSettings)
        let handover: NFCHandover
        do throws(CardDriver.End) {
            handover = try await driver.run(&machine, from: machine.start(now: .now))
        } catch {
            throw TapEnd(engaging: error)
        }
        return try mapping(
            Engaged(
                engagement: try DeviceEngagement(Array(handover.deviceEngagement)[...]),
                handover: .nfc(select: handover.handoverSelect, request: handover.handoverRequest),
                nfc: handover.nfcCarrier, bluetooth: handover.bluetoothOffer)
        ) { (error: MdocModelError) in TapEnd.failed(.engagement(error)) }
    }
}

extension NFCHandover {
    fileprivate var bluetoothOffer: BluetoothOffer? {
        carriers.lazy.compactMap { carrier -> BluetoothOffer? in
            if case .bluetoothLE(let settled) = carrier { BluetoothOffer(settled) } else { nil }
        }.first
    }

    fileprivate var nfcCarrier: NFCCarrier? {
        carriers.lazy.compactMap { carrier -> NFCCarrier? in
            if case .nfc(let limits) = carrier { limits } else { nil }
        }.first
    }
}

extension DeviceEngagement {
    fileprivate var nfcCarrier: NFCCarrier? {
        for case .nfc(let command, let response) in retrievalMethods {
            return NFCCarrier(maximumCommandData: command, maximumResponseData: response)
        }
        return nil
    }
}

extension PresentationDeadlines {
    fileprivate var engagementSettings: NFCEngagementSettings {
        var settings = NFCEngagementSettings()
        settings.engagementDeadline = tap
        settings.phaseDeadline = tapPhase
        return settings
    }

    var transferSettings: NFCTransferSettings {
        var settings = NFCTransferSettings()
        settings.progressDeadline = progress
        settings.consentDeadline = consent
        return settings
    }
}

extension ContactlessCard {
    var readerLimits: NFCReaderLimits {
        NFCReaderLimits(
            maximumCommandData: limits.commandData, maximumResponseData: limits.responseData,
            extendedLength: limits.allowsExtended)
    }
}
