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
        var taps = TapSeries(plan.deadlines)
        var key = ReadyKey()
        report(.armed)
        while true {
            key.prepare()
            let card = try await card(at: reader, taps)
            progress = Progress()
            do throws(TapEnd) {
                let ending = try await tap(card, scanned: scanned, bluetooth, key: &key, &progress)
                await letGo(of: card)
                return ending
            } catch {
                await letGo(of: card)
                try taps.note(error).forEach(report)
            }
            if taps.isLocked {
                try? await Task.sleep(for: plan.deadlines.lockedPhone, clock: .continuous)
            }
        }
    }

    /// Powers the phone down; a reader that hangs does not keep the answer from being shown.
    private func letGo(of card: any ContactlessCard) async {
        let timeout = plan.deadlines.termination
        _ = await bounded(by: .now + timeout, grace: timeout) { () throws(Never) in await card.release() }
    }

    private func card(
        at reader: any ContactlessReader, _ taps: TapSeries
    ) async throws(PresentationFailure) -> any ContactlessCard {
        guard !taps.isOverdue else { throw taps.failure }
        let again = taps.isLocked
        let result = await bounded(by: taps.deadline) { () throws(ContactlessError) in
            try await reader.nextCard(again: again)
        }
        do throws(ContactlessError) {
            return try result.get()
        } catch {
            if Task.isCancelled { throw .cancelled }
            if case .readerUnavailable(let fault) = error { throw .readerUnavailable(fault) }
            throw taps.failure
        }
    }

    /// One tap, from a phone in the field to the verdict on its answer.
    private func tap(
        _ card: any ContactlessCard, scanned: DeviceEngagement?, _ bluetooth: BluetoothRetrieval?,
        key: inout ReadyKey, _ progress: inout Progress
    ) async throws(TapEnd) -> Ending {
        let driver = CardDriver(card: card, grace: plan.deadlines.termination)
        if let scanned { return try await retrieve(scanned, driver, key: &key, &progress) }
        let engaged = try await engage(driver, bluetooth)
        progress.times.end(.engagement)
        report(.engaged)
        var exchange: RequestExchange
        do throws(PresentationFailure) {
            exchange = try newExchange(engaged.engagement, engaged.handover, key: &key)
        } catch {
            throw .failed(error)
        }
        if let bluetooth, let offer = engaged.bluetooth {
            await letGo(of: card)
            report(.mayLift)
            do throws(PresentationFailure) {
                return try await complete(&exchange, bluetooth, offer, engaged.engagement, &progress)
            } catch {
                throw .failed(error)
            }
        }
        report(.hold)
        var retrieval = NFCRetrieval(driver, engaged.nfc, plan.deadlines.transferSettings)
        try await retrieval.select(isFirst: false)
        return try await complete(&exchange, over: &retrieval, &progress)
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
        var exchange: RequestExchange
        do throws(PresentationFailure) {
            exchange = try newExchange(scanned, .qr, key: &key)
        } catch {
            throw .failed(error)
        }
        return try await complete(&exchange, over: &retrieval, &progress)
    }

    /// What an engagement by NFC yields.
    private struct Engaged {
        let engagement: DeviceEngagement
        let handover: Handover
        let nfc: NFCCarrier?
        let bluetooth: BluetoothOffer?
    }

    private func engage(
        _ driver: CardDriver, _ bluetooth: BluetoothRetrieval?
    ) async throws(TapEnd) -> Engaged {
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
        do throws(MdocModelError) {
            return Engaged(
                engagement: try DeviceEngagement(Array(handover.deviceEngagement)[...]),
                handover: .nfc(select: handover.handoverSelect, request: handover.handoverRequest),
                nfc: handover.nfcCarrier, bluetooth: handover.bluetoothOffer)
        } catch {
            throw .failed(.engagement(error))
        }
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

    fileprivate var transferSettings: NFCTransferSettings {
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
