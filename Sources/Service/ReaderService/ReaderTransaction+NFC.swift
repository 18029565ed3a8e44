internal import ErrorMapping
package import MdocModel
internal import MdocSession
internal import NDEF
package import Transport

extension ReaderTransaction {
    /// Waits for a phone at the reader, engages it over NFC, and retrieves the answer over Bluetooth or NFC.
    ///
    /// - Parameter radio: the Bluetooth radio; without one, everything is transferred over NFC.
    package func run(at reader: any ContactlessReader, radio: (any BluetoothLERadio)? = nil) async
        -> Presentation
    {
        await run { running throws(PresentationFailure) in
            let bluetooth = try await startAdvertising(on: radio)
            let result = await catching { () throws(PresentationFailure) in
                try await running.present(at: reader, scanned: nil, bluetooth)
            }
            await bluetooth?.close()
            return try result.get()
        }
    }

    /// Waits for the tap of the phone whose QR code was scanned, and retrieves the answer over NFC (Q55).
    package func run(at reader: any ContactlessReader, scanned engagement: DeviceEngagement) async
        -> Presentation
    {
        await run { running throws(PresentationFailure) in
            guard engagement.nfcCarrier != nil else { throw .noUsableRetrieval }
            return try await running.present(at: reader, scanned: engagement, nil)
        }
    }

    /// Ends the NFC connection to the phone. The time is limited, so that a reader that hangs does not delay
    /// the result.
    func release(_ card: any ContactlessCard) async {
        let timeout = plan.deadlines.termination
        _ = await bounded(by: .now + timeout, grace: timeout) { () throws(Never) in await card.release() }
    }

    func driver(for card: any ContactlessCard) -> CardDriver {
        CardDriver(card: card, grace: plan.deadlines.termination)
    }

    /// Starts the data transfer with an engaged phone. After NFC v2 the application of the engagement is
    /// still selected and is used. Otherwise the data transfer application is selected now.
    func retrieval(from driver: CardDriver, _ engaged: Engaged) async throws(TapEnd) -> NFCRetrieval {
        if let transfer = engaged.transfer { return NFCRetrieval(driver, engaged: transfer) }
        var retrieval = NFCRetrieval(
            driver, within: engaged.nfc, settings: plan.deadlines.transferSettings)
        // The phone has answered the commands of its engagement already.
        try await retrieval.select(isFirst: false)
        return retrieval
    }

    /// The result of an engagement over NFC.
    struct Engaged {
        let engagement: DeviceEngagement
        let handover: Handover
        let nfc: NFCCarrier?
        let bluetooth: BluetoothOffer?
        /// The data transfer after an NFC v2 engagement, which uses the application that is already
        /// selected; `nil` after classic handover.
        var transfer: NFCTransferReader?
    }

    /// Engages the phone on the reader: by NFC v2 if `version2` is set and the phone supports it, otherwise
    /// by classic handover.
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

extension RunningTransaction {
    /// Waits for taps until a tap gives a result. Each tap starts from the beginning and does not resume an
    /// earlier tap (Q2).
    fileprivate mutating func present(
        at reader: any ContactlessReader, scanned: DeviceEngagement?, _ bluetooth: BluetoothRetrieval?
    ) async throws(PresentationFailure) -> Presentation {
        // The phone of the previous presentation may still lie on the reader and must not receive this
        // request (Q9).
        await reader.beginPresentation()
        var taps = TapSeries(
            plan.deadlines, hasNFC: plan.retrieval.transport != .bluetoothLE,
            version2: plan.retrieval.nfcVersion2, now: .now)
        var step = taps.start
        while true {
            step.events.forEach(transaction.report)
            let wait = try step.wait
            // The session's key is made now, when no phone has to wait for it (Q190).
            prepareKey()
            let arrival = await bounded(by: wait.deadline) { () throws(ContactlessError) in
                try await reader.nextCard(again: wait.again)
            }
            switch arrival {
            case .failure(let error):
                if Task.isCancelled { throw .cancelled }
                step = taps.receive(error, now: .now)
            case .success(var card):
                startTap(now: .now)
                let offer = taps.offer(now: .now)
                let result = await catching { () throws(TapEnd) in
                    try await tap(
                        &card, at: reader, scanned: scanned, offer.bluetooth ? bluetooth : nil,
                        version2: offer.version2)
                }
                await transaction.release(card)
                do throws(TapEnd) {
                    return try result.get()
                } catch {
                    // The next phone gets another UUID, so that the phone that did not connect cannot find
                    // this reader.
                    if case .unconnected = error { await bluetooth?.rearm() }
                    step = taps.receive(error, stay: card.stay, now: .now)
                }
            }
        }
    }

    /// Runs one tap, from a phone in the field to the judgement on its answer.
    ///
    /// - Parameter card: the phone in the field. If another tap replaces the engagement of this phone, `card`
    ///   becomes the phone of that tap (Q207).
    private mutating func tap(
        _ card: inout any ContactlessCard, at reader: any ContactlessReader, scanned: DeviceEngagement?,
        _ bluetooth: BluetoothRetrieval?, version2: Bool
    ) async throws(TapEnd) -> Presentation {
        if let scanned { return try await retrieve(scanned, transaction.driver(for: card)) }
        var engaged = try await transaction.engage(
            transaction.driver(for: card), bluetooth, version2: version2)
        // Another tap may replace the engagement (Q207) and restarts the time for the connection. Without a
        // limit, somebody who taps again and again would occupy the reader for ever.
        for _ in 0..<TapSeries.mostTaps {
            endPhase(.engagement, at: .now)
            report(.engaged)
            var exchange = try newExchange(of: engaged)
            // After NFC v2 both NFC and Bluetooth carry the session, until the phone is lifted.
            if let bluetooth, let offer = engaged.bluetooth, let transfer = engaged.transfer {
                report(.mayLift)
                let retrieval = NFCRetrieval(transaction.driver(for: card), engaged: transfer)
                var carrier = await transaction.hybrid(
                    over: retrieval, and: bluetooth, to: offer, engaged: engaged.engagement, notes: notes)
                return try await complete(&exchange, over: &carrier)
            }
            guard let bluetooth, let offer = engaged.bluetooth else {
                report(.hold)
                var retrieval = try await transaction.retrieval(
                    from: transaction.driver(for: card), engaged)
                do throws(TapEnd) {
                    return try await complete(&exchange, over: &retrieval)
                } catch {
                    // With NFC v2 a phone may leave with the request and answer at the next tap.
                    throw engaged.transfer == nil ? error : error.ofVersion2
                }
            }
            // The phone may be lifted, since everything else comes over Bluetooth (Q3, Q9).
            await transaction.release(card)
            report(.mayLift)
            // Another tap would begin another session, whose key is made in advance (Q207).
            prepareKey()
            switch try await transaction.connection(to: offer, engaged.engagement, bluetooth, at: reader) {
            case .link(let link):
                do throws(PresentationFailure) {
                    return try await complete(&exchange, over: link)
                } catch {
                    throw .failed(error)
                }
            case .tap(let another, let newer): (card, engaged) = (another, newer)
            }
        }
        await transaction.release(card)
        throw .failed(.connectionOverdue)
    }

    /// Sets up the session with an engaged phone. A failure here is final, because another tap would not
    /// help.
    private mutating func newExchange(
        of engaged: ReaderTransaction.Engaged
    ) throws(TapEnd) -> RequestExchange {
        try mapping(newExchange(engaged.engagement, engaged.handover), TapEnd.failed)
    }

    /// Runs the tap of a phone whose QR code was scanned.
    private mutating func retrieve(
        _ scanned: DeviceEngagement, _ driver: CardDriver
    ) async throws(TapEnd) -> Presentation {
        var retrieval = NFCRetrieval(
            driver, within: scanned.nfcCarrier, settings: plan.deadlines.transferSettings)
        // Only an accepted SELECT shows that the phone is unlocked and its wallet is open.
        try await retrieval.select(isFirst: true)
        endPhase(.engagement, at: .now)
        report(.engaged)
        report(.hold)
        var exchange = try mapping(newExchange(scanned, .qr), TapEnd.failed)
        return try await complete(&exchange, over: &retrieval)
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
