package import MdocModel
internal import MdocSession
internal import NDEF
internal import Synchronization
package import Transport

extension ReaderTransaction {
    /// Waits for a phone at the reader, engages it by NFC, and retrieves over NFC.
    package func run(at reader: any ContactlessReader) async -> Presentation {
        await run(at: reader, scanned: nil)
    }

    /// Waits for the phone whose QR code was scanned, and retrieves over NFC (Q55).
    package func run(at reader: any ContactlessReader, scanned engagement: DeviceEngagement) async
        -> Presentation
    {
        await run(at: reader, scanned: engagement as DeviceEngagement?)
    }

    private func run(at reader: any ContactlessReader, scanned: DeviceEngagement?) async -> Presentation {
        var times = PhaseTimes()
        let outcome: Presentation.Outcome
        do throws(PresentationFailure) {
            outcome = try await present(at: reader, scanned: scanned, times: &times)
        } catch {
            outcome = .failed(error)
        }
        return Presentation(outcome: outcome, phases: times.phases)
    }

    /// Taps until one is complete: each begins anew, none resumes another (Q2).
    private func present(
        at reader: any ContactlessReader, scanned: DeviceEngagement?, times: inout PhaseTimes
    ) async throws(PresentationFailure) -> Presentation.Outcome {
        let deadline = ContinuousClock.now + plan.deadlines.engagement
        let key = ReadyKey()
        var failedTaps = 0
        var isLocked = false
        report(.armed)
        while true {
            let card = try await card(at: reader, again: isLocked, by: deadline)
            times.restart()
            let driver = CardDriver(card: card, grace: plan.deadlines.farewell)
            do throws(CardDriver.End) {
                let tap = try await engage(driver, scanned: scanned)
                times.end(.engagement)
                report(.engaged)
                let outcome = await retrieve(tap, driver, key: key, times: &times)
                await card.release()
                return outcome
            } catch {
                await card.release()
                isLocked = try await next(after: error, wasLocked: isLocked, failedTaps: &failedTaps)
            }
        }
    }

    private func card(
        at reader: any ContactlessReader, again: Bool, by deadline: ContinuousClock.Instant
    ) async throws(PresentationFailure) -> any ContactlessCard {
        let result = await bounded(by: deadline) { () throws(ContactlessError) in
            try await reader.nextCard(again: again)
        }
        do throws(ContactlessError) {
            return try result.get()
        } catch .readerUnavailable(let id) {
            throw .readerUnavailable(id: id)
        } catch {
            throw Task.isCancelled ? .cancelled : .engagementOverdue
        }
    }

    /// What to do after a tap that did not engage: whether to look at the same phone again.
    private func next(
        after end: CardDriver.End, wasLocked: Bool, failedTaps: inout Int
    ) async throws(PresentationFailure) -> Bool {
        switch end {
        case .stopped: throw .cancelled
        case .card(.readerUnavailable(let id)): throw .readerUnavailable(id: id)
        case .machine(let reason) where reason.fault == .noWalletYet:
            if !wasLocked { report(.phoneLocked) }
            try? await Task.sleep(for: plan.deadlines.lockedPhone, clock: .continuous)
            return true
        case .machine(let reason):
            if case .noUsableCarrier = reason.fault { throw .noUsableRetrieval }
            note(reason, &failedTaps)
        case .card: note(nil, &failedTaps)
        }
        return false
    }

    private func note(_ reason: NFCEndReason?, _ failedTaps: inout Int) {
        failedTaps += 1
        report(.tapAgain(reason))
        if failedTaps == 2 { report(.offerQR) }
    }
}

/// A phone that is engaged: what the session and the transfer need.
private struct Tap {
    let engagement: [UInt8]
    let handover: Handover
    let carrier: NFCCarrier
}

extension ReaderTransaction {
    private func engage(_ driver: CardDriver, scanned: DeviceEngagement?) async throws(CardDriver.End) -> Tap
    {
        if let scanned {
            return Tap(
                engagement: Array(scanned.bytes), handover: .qr, carrier: scanned.nfcCarrier ?? NFCCarrier())
        }
        let limits = driver.card.readerLimits
        var machine = NFCEngagementReader(
            limits: limits, offer: NFCOffer(bluetoothLE: nil, nfc: limits.carrier))
        let handover = try await driver.run(&machine, from: machine.start(now: .now))
        let carrier = handover.carriers.lazy.compactMap { carrier -> NFCCarrier? in
            if case .nfc(let limits) = carrier { limits } else { nil }
        }.first
        return Tap(
            engagement: Array(handover.deviceEngagement),
            handover: .nfc(select: handover.handoverSelect, request: handover.handoverRequest),
            carrier: carrier ?? NFCCarrier())
    }

    private func retrieve(
        _ tap: Tap, _ driver: CardDriver, key: ReadyKey, times: inout PhaseTimes
    ) async -> Presentation.Outcome {
        do throws(PresentationFailure) {
            let engagement: DeviceEngagement
            do throws(MdocModelError) {
                engagement = try DeviceEngagement(tap.engagement[...])
            } catch {
                throw .engagement(error)
            }
            var session = try session(engagement, tap.handover, key: key)
            var retrieval = NFCRetrieval(
                driver: driver, carrier: tap.carrier, consent: plan.deadlines.consent)
            let result = await exchange(&session, &retrieval, times: &times)
            times.end(.verification)
            return result
        } catch {
            return .failed(error)
        }
    }

    private func exchange(
        _ session: inout ReaderSession, _ retrieval: inout NFCRetrieval, times: inout PhaseTimes
    ) async -> Presentation.Outcome {
        do throws(PresentationFailure) {
            let answer = try await request(&session, &retrieval)
            times.end(.request, at: answer.requestSent)
            times.end(.consent, at: answer.answerBegan)
            times.end(.transfer)
            switch session.receive(answer.message[...], now: .now) {
            case .deliver(let response, let isEnded):
                let outcome = judge(response, in: session)
                if !isEnded { await retrieval.farewell(session.terminate(), within: plan.deadlines.farewell) }
                return outcome
            case .end(let end, let farewell):
                await retrieval.farewell(.end(end, farewell: farewell), within: plan.deadlines.farewell)
                return Self.outcome(of: end)
            case .transmit: return .failed(.session(.unexpectedMessage))
            }
        } catch {
            await retrieval.farewell(session.terminate(), within: plan.deadlines.farewell)
            return .failed(error)
        }
    }

    private func request(
        _ session: inout ReaderSession, _ retrieval: inout NFCRetrieval
    ) async throws(PresentationFailure) -> NFCRetrieval.Answer {
        try await retrieval.select()
        let action: ReaderSession.Action
        do throws(SessionError) {
            action = try session.send(deviceRequest[...], now: .now)
        } catch {
            throw .session(error)
        }
        guard case .transmit(let message, _) = action else { throw .session(.unexpectedMessage) }
        report(.awaitingConsent)
        return try await retrieval.send(message)
    }
}

/// The NFC data transfer of one tap.
private struct NFCRetrieval: Sendable {
    struct Answer {
        let message: [UInt8]
        let requestSent: ContinuousClock.Instant
        let answerBegan: ContinuousClock.Instant
    }

    /// When the last ENVELOPE of a message went out and when its answer came: between them lies consent (Q54).
    private final class Turn: Sendable {
        let instants = Mutex<(sent: ContinuousClock.Instant, answered: ContinuousClock.Instant)?>(nil)
    }

    private var machine: NFCTransferReader
    private let driver: CardDriver
    private let turn = Turn()
    /// Whether the phone is between two messages and still listens.
    private var isIdle = false

    init(driver: CardDriver, carrier: NFCCarrier, consent: Duration) {
        var settings = NFCTransferSettings()
        settings.consentDeadline = consent
        machine = NFCTransferReader(limits: driver.card.readerLimits, carrier: carrier, settings: settings)
        var observed = driver
        let turn = turn
        observed.observe = { command, sent in
            let isLastEnvelope = command.starts(with: [0x00, 0xc3])
            if isLastEnvelope { turn.instants.withLock { $0 = (sent, .now) } }
        }
        self.driver = observed
    }

    mutating func select() async throws(PresentationFailure) {
        guard case .selected = try await run(machine.start(now: .now)) else { throw .linkLost }
    }

    mutating func send(_ message: [UInt8]) async throws(PresentationFailure) -> Answer {
        guard case .message(let answer) = try await run(machine.send(message[...], now: .now)) else {
            throw .linkLost
        }
        let instants = turn.instants.withLock { $0 } ?? (.now, .now)
        return Answer(message: answer, requestSent: instants.sent, answerBegan: instants.answered)
    }

    private mutating func run(
        _ action: NFCTransferReader.Action
    ) async throws(PresentationFailure) -> NFCTransferDelivery {
        isIdle = false
        do throws(CardDriver.End) {
            let delivery = try await driver.run(&machine, from: action)
            isIdle = true
            return delivery
        } catch {
            switch error {
            case .stopped: throw .cancelled
            case .machine(let reason):
                throw reason.fault == .deadlinePassed && reason.phase == .awaitResponse
                    ? .consentOverdue : .transfer(reason)
            case .card(.readerUnavailable(let id)): throw .readerUnavailable(id: id)
            case .card: throw .linkLost
            }
        }
    }

    /// Tells the phone that we end, where it listens; what it says to that does not matter any more.
    mutating func farewell(_ action: ReaderSession.Action, within patience: Duration) async {
        guard isIdle, case .end(_, let message?) = action else { return }
        isIdle = false
        let first = machine.send(message[...], now: .now)
        let (machine, driver) = (machine, driver)
        _ = await bounded(by: .now + patience, grace: patience) { () throws(CardDriver.End) in
            var machine = machine
            _ = try await driver.run(&machine, from: first)
        }
    }
}

extension ContactlessCard {
    fileprivate var readerLimits: NFCReaderLimits {
        NFCReaderLimits(
            maximumCommandData: limits.commandData, maximumResponseData: limits.responseData,
            extendedLength: limits.allowsExtended)
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
