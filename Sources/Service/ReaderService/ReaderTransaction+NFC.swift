package import MdocModel
internal import MdocSession
internal import NDEF
package import Transport

extension ReaderTransaction {
    /// Waits for a phone at the reader, engages it by NFC, and retrieves over Bluetooth or NFC.
    ///
    /// - Parameter radio: nil where there is none; then everything goes over NFC.
    package func run(at reader: any ContactlessReader, radio: (any BluetoothLERadio)? = nil) async
        -> Presentation
    {
        await timed { times throws(PresentationFailure) in
            let bluetooth = try await armed(radio)
            let result = await ended { () throws(PresentationFailure) in
                try await present(at: reader, scanned: nil, bluetooth, times: &times)
            }
            await bluetooth?.close()
            return try result.get()
        }
    }

    /// Waits for the phone whose QR code was scanned, and retrieves over NFC (Q55).
    package func run(at reader: any ContactlessReader, scanned engagement: DeviceEngagement) async
        -> Presentation
    {
        await timed { times throws(PresentationFailure) in
            guard engagement.nfcCarrier != nil else { throw .noUsableRetrieval }
            return try await present(at: reader, scanned: engagement, nil, times: &times)
        }
    }

    /// Taps until one is complete: each begins anew, none resumes another (Q2).
    private func present(
        at reader: any ContactlessReader, scanned: DeviceEngagement?, _ bluetooth: BluetoothRetrieval?,
        times: inout PhaseTimes
    ) async throws(PresentationFailure) -> Ending {
        var taps = TapSeries(plan.deadlines)
        var key = ReadyKey()
        report(.armed)
        while true {
            key.prepare()
            let card = try await card(at: reader, taps)
            times.restart()
            do throws(TapEnd) {
                let ending = try await tap(card, scanned: scanned, bluetooth, key: &key, times: &times)
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
        let patience = plan.deadlines.farewell
        _ = await bounded(by: .now + patience, grace: patience) { () throws(Never) in await card.release() }
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
            if case .readerUnavailable(let id) = error { throw .readerUnavailable(id: id) }
            throw taps.failure
        }
    }

    /// One tap, from a phone in the field to the verdict on its answer.
    private func tap(
        _ card: any ContactlessCard, scanned: DeviceEngagement?, _ bluetooth: BluetoothRetrieval?,
        key: inout ReadyKey, times: inout PhaseTimes
    ) async throws(TapEnd) -> Ending {
        let driver = CardDriver(card: card, grace: plan.deadlines.farewell)
        if let scanned { return try await retrieve(scanned, driver, key: &key, times: &times) }
        let engaged = try await engage(driver, bluetooth)
        times.end(.engagement)
        report(.engaged)
        var session = try orFailing { () throws(PresentationFailure) in
            try self.session(engaged.engagement, engaged.handover, key: &key)
        }
        if let bluetooth, let offer = engaged.bluetooth {
            // The phone may be lifted: everything else comes through the air.
            await letGo(of: card)
            do throws(PresentationFailure) {
                return try await exchange(&session, bluetooth, offer, engaged.engagement, times: &times)
            } catch {
                throw .failed(error)
            }
        }
        var retrieval = NFCRetrieval(driver, engaged.nfc, plan.deadlines.transferSettings)
        try await retrieval.select(isFirst: false)
        return try await exchange(&session, &retrieval, times: &times)
    }

    /// The tap of a phone whose QR code was scanned.
    private func retrieve(
        _ scanned: DeviceEngagement, _ driver: CardDriver, key: inout ReadyKey, times: inout PhaseTimes
    ) async throws(TapEnd) -> Ending {
        var retrieval = NFCRetrieval(driver, scanned.nfcCarrier, plan.deadlines.transferSettings)
        // Only now it is known that the phone is unlocked and shows its wallet.
        try await retrieval.select(isFirst: true)
        times.end(.engagement)
        report(.engaged)
        var session = try orFailing { () throws(PresentationFailure) in
            try self.session(scanned, .qr, key: &key)
        }
        return try await exchange(&session, &retrieval, times: &times)
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

    private func exchange(
        _ session: inout ReaderSession, _ retrieval: inout NFCRetrieval, times: inout PhaseTimes
    ) async throws(TapEnd) -> Ending {
        let request = try orFailing { () throws(PresentationFailure) in try establishment(&session) }
        report(.awaitingConsent)
        let answer: NFCRetrieval.Answer
        do throws(TapEnd) {
            answer = try await retrieval.send(request)
        } catch {
            await retrieval.farewell(session.terminate(), within: plan.deadlines.farewell)
            throw error
        }
        times.end(.request, at: answer.requestSent)
        times.end(.consent, at: answer.answerBegan)
        times.end(.transfer)
        // Consent ended when the answer began; what the radio takes for the rest has a deadline of its own.
        switch session.receive(answer.message[...], now: answer.answerBegan) {
        case .deliver(let response, let isEnded):
            let outcome = judge(response, in: session)
            times.end(.verification)
            if !isEnded { await retrieval.farewell(session.terminate(), within: plan.deadlines.farewell) }
            return Ending(outcome)
        case .end(let end, let farewell):
            await retrieval.farewell(.end(end, farewell: farewell), within: plan.deadlines.farewell)
            return Ending(Self.outcome(of: end))
        case .transmit: throw .failed(.session(.unexpectedMessage))
        }
    }
}

/// Runs what another tap would not mend.
private func orFailing<Value: ~Copyable>(
    _ body: () throws(PresentationFailure) -> Value
) throws(TapEnd) -> Value {
    do throws(PresentationFailure) {
        return try body()
    } catch {
        throw .failed(error)
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
