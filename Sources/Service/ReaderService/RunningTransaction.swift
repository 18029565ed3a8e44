internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import OpenSSLCrypto

/// The state of one presentation while it runs: the times of its phases, the request and the answer so far,
/// the result of a first question, the notes on the phone's messages, and the key of the next session.
///
/// Each run of a `ReaderTransaction` makes a value of this type, in the task of its caller, and turns the
/// value into a `Presentation` at the end.
///
/// A run calls these functions in order:
/// 1. `startTap(now:)` discards everything but the key, because no tap resumes another (Q2).
/// 2. A `present` function engages a phone. `newExchange` sets up the session.
/// 3. `complete(_:over:)` sends requests over any `SessionCarrier` and judges the answers, until there is a
///    result.
/// 4. `presentation(_:leaving:)` makes the result, perhaps before the phone has been notified (Q76).
///
/// An answer leads to one of three steps:
/// - If the answer has no document and another draft is left, the next request is sent.
/// - If the answer calls for the plan's second question (`further`), that question is asked. Both answers
///   have to come from the same holder.
/// - In all other cases the answer is the result.
///
/// A running transaction shows nothing on a screen and writes nothing to the disk. Element values are only in
/// the judgements, and in the raw answer if the plan asks for it.
struct RunningTransaction {
    let transaction: ReaderTransaction
    private var times: PhaseTimes
    /// The request that was sent last.
    private var request: SessionRequest?
    /// The way in which the phone of this tap was met; `nil` before the session is set up.
    private var engagementKind: EngagementKind?
    private var rawAnswer: RawAnswer?
    /// The result of the plan's first question, once its second question is asked; empty otherwise.
    private var earlier: [Presentation] = []
    private(set) var notes = PresentationNotes()
    private var key = ReadyKey()

    init(_ transaction: ReaderTransaction, now: ContinuousClock.Instant) {
        self.transaction = transaction
        times = PhaseTimes(from: now)
    }

    var plan: PresentationPlan { transaction.plan }

    func report(_ event: PresentationEvent) { transaction.report(event) }

    /// Prepares for another tap: discards all state except the key of the next session.
    mutating func startTap(now: ContinuousClock.Instant) {
        let key = key
        self = RunningTransaction(transaction, now: now)
        self.key = key
    }

    mutating func endPhase(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant) {
        times.end(name, at: instant)
    }

    /// Returns the presentation with its result.
    func presentation(
        _ result: Result<Judgement, PresentationFailure>, leaving: Task<Void, Never>? = nil
    ) -> Presentation {
        Presentation(
            result, after: earlier, request: request, engagementKind: engagementKind, phases: times.phases,
            rawAnswer: rawAnswer, notes: notes, leaving: leaving)
    }

    // MARK: Session

    /// Makes the key of the next session in advance, while nobody waits for it (Q190).
    mutating func prepareKey() {
        key.prepare()
    }

    /// Sets up the session for an engagement, with a fresh key on the curve of the phone's key, and prepares
    /// its requests.
    mutating func newExchange(
        _ engagement: DeviceEngagement, _ handover: Handover
    ) throws(PresentationFailure) -> RequestExchange {
        // Set before the session, so that a session that cannot be set up is reported with its engagement too.
        engagementKind = EngagementKind(handover)
        do throws(SessionError) {
            let session = try ReaderSession(
                engagement: engagement, handover: handover,
                eReaderKey: key.take(for: engagement.eDeviceKey.curve), consent: plan.deadlines.consent)
            return RequestExchange(
                session, asking: plan.question, plan.requestVersion.used(of: engagement.capabilities),
                admission: plan.admission)
        } catch {
            throw .session(error)
        }
    }

    /// Sends request after request until an answer ends the presentation, and then notifies the phone of the
    /// end.
    mutating func complete<Carrier: SessionCarrier>(
        _ exchange: inout RequestExchange, over carrier: inout Carrier
    ) async throws(Carrier.End) -> Presentation {
        do throws(Carrier.End) {
            while true {
                guard case .message(let message, let began) = try await ask(&exchange, over: &carrier) else {
                    // A phone ends the transfer without a message when its holder declines.
                    return presentation(
                        .failure(.declined), leaving: await carrier.terminate(sending: nil))
                }
                // If the carrier does not know when the answer began, the time for consent ends with the
                // complete answer.
                let consented = began ?? .now
                endPhase(.consent, at: consented)
                if began != nil { endPhase(.transfer, at: .now) }
                // Consent ended when the answer began. The transfer of the rest has a separate deadline.
                let end = try mapping(receive(message, in: &exchange, now: consented), Carrier.end)
                guard let end else { continue }
                return presentation(
                    end.result, leaving: await carrier.terminate(sending: end.terminationMessage))
            }
        } catch {
            // Awaited, because another tap may follow immediately.
            await carrier.terminate(sending: exchange.terminate())?.value
            throw error
        }
    }

    /// Sends the next request and waits for the phone's answer to it.
    private mutating func ask<Carrier: SessionCarrier>(
        _ exchange: inout RequestExchange, over carrier: inout Carrier
    ) async throws(Carrier.End) -> CarriedAnswer {
        let message: [UInt8]
        do throws(PresentationFailure) {
            message = try await exchange.message(signedWithin: plan.deadlines.signing)
        } catch {
            throw Carrier.end(error)
        }
        let result: Result<CarriedAnswer, Carrier.End>
        do throws(Carrier.End) {
            result = .success(try await carrier.exchange(message, report: transaction.report))
        } catch {
            result = .failure(error)
        }
        // Set after a failure too, because the result contains the request that the phone may have received.
        if carrier.mayBeSent { request = exchange.sent }
        if let sent = carrier.sent { endPhase(.request, at: sent) }
        return try result.get()
    }

    // MARK: Answers

    /// Decrypts a message of the phone, and judges the answer in it.
    ///
    /// - Returns: the result and the termination message for the phone; `nil` if another request follows,
    ///   because the answer has no document or calls for the plan's second question.
    private mutating func receive(
        _ message: [UInt8], in exchange: inout RequestExchange, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> (
        result: Result<Judgement, PresentationFailure>, terminationMessage: [UInt8]?
    )? {
        let knownNotes = exchange.session.sequenceNotes.count
        let action = exchange.receive(message[...], now: now)
        for sequence in exchange.session.sequenceNotes.dropFirst(knownNotes) {
            transaction.record(PresentationNote(sequence), in: notes)
        }
        switch action {
        case .deliver(let response, let isEnded):
            let result = judge(response, in: exchange, isLast: isEnded || !exchange.hasFurtherRequest)
            guard let result else { return nil }
            // Without this check a phone could answer the first question with one person's document and the
            // second question with another person's.
            guard isOfFirstHolder(result) else {
                return (.failure(.otherDocument), isEnded ? nil : exchange.terminate())
            }
            if plan.handsOutRawAnswer { rawAnswer = RawAnswer(response, in: exchange.session) }
            endPhase(.verification, at: .now)
            if let further = furtherQuestion(after: result) {
                storeFirstResult(result)
                // Thrown only after the first result was stored, so that the presentation keeps it.
                guard !isEnded else { throw .sessionOver }
                exchange.startAsking(further)
                return nil
            }
            return (result, isEnded ? nil : exchange.terminate())
        case .end(let end, let terminationMessage):
            return (.failure(PresentationFailure(end)), terminationMessage)
        case .transmit: throw .session(.unexpectedMessage)
        }
    }

    /// The plan's second question, if this answer to the first question calls for it; `nil` otherwise.
    private func furtherQuestion(
        after result: Result<Judgement, PresentationFailure>
    ) -> PresentationQuestion? {
        guard earlier.isEmpty, let further = plan.further,
            let response = result.verified, further.isDue(response)
        else { return nil }
        return further.question
    }

    /// Stores the result of the first question, and clears the request and the raw answer for the second
    /// question.
    private mutating func storeFirstResult(_ result: Result<Judgement, PresentationFailure>) {
        // The times of both questions are added up in the presentation of the second question.
        earlier = [
            Presentation(
                result, request: request.take(), engagementKind: engagementKind, phases: [],
                rawAnswer: rawAnswer.take(),
                leaving: nil)
        ]
    }

    /// Whether the answer to the second question comes from the holder of the first answer. Also true if only
    /// one question was asked, or if either answer is not verified, since an unverified answer says nothing
    /// about its holder.
    private func isOfFirstHolder(_ result: Result<Judgement, PresentationFailure>) -> Bool {
        guard let first = earlier.first?.result.verified, let response = result.verified else {
            return true
        }
        return response.isOfHolder(of: first)
    }

    /// Judges a decrypted answer against the last request.
    ///
    /// - Parameter isLast: whether no other request can follow.
    /// - Returns: `nil` if the answer has no document and another request can follow.
    private func judge(
        _ response: [UInt8], in exchange: borrowing RequestExchange, isLast: Bool
    ) -> Result<Judgement, PresentationFailure>? {
        report(.verifying)
        let now = plan.clock.now
        // An answer follows a request, so `sent` is not `nil` here.
        let context = VerificationContext(
            transcript: exchange.session.transcript, comparison: .requested(exchange.sent?.documents ?? []),
            readerKey: exchange.session.eReaderKey, trust: plan.trust, now: now,
            day: WallClock.localDay(at: now), policy: plan.policy)
        do throws(MdocModelError) {
            let unverified = try UnverifiedResponse(response[...])
            if !isLast, unverified.isEmpty { return nil }
            return unverified.isDecline ? .failure(.declined) : .success(unverified.verify(in: context))
        } catch {
            return .failure(.responseMalformed(error))
        }
    }
}

extension PresentationFailure {
    /// The failure of a presentation whose session ended without an answer.
    fileprivate init(_ end: SessionEnd) {
        self =
            switch end {
            // Wallets refuse a request with status 20 and no data (Q172).
            case .status(.termination): .declined
            case .status(let status): .status(status)
            case .overdue: .consentOverdue
            case .terminated: .cancelled
            case .failed(let error): .session(error)
            }
    }
}

extension Result<Judgement, PresentationFailure> {
    /// The response if every check passed; `nil` otherwise.
    fileprivate var verified: VerifiedResponse? {
        if case .success(.verified(let response)) = self { response } else { nil }
    }
}

extension UnverifiedResponse {
    /// Whether the response is valid and has no document.
    fileprivate var isEmpty: Bool {
        version?.hasPrefix("1.") == true && status == 0 && documents.isEmpty && otherForms.isEmpty
    }

    /// Whether the phone returned no document, and gave the error code 0 (data not returned) for each
    /// document.
    fileprivate var isDecline: Bool {
        isEmpty && !hasUnreadableErrors && !documentErrors.isEmpty
            && documentErrors.allSatisfy { $0.code == 0 }
    }
}

/// The ephemeral key of the next session. On P-256, the curve of every session met so far, the key is made in
/// advance while nobody waits for it (Q190). Each key is used once.
struct ReadyKey {
    private var p256: COSEKeyPair?

    var isReady: Bool { p256 != nil }

    /// Makes the P-256 key if it does not exist yet. If this fails, `take(for:)` tries again and throws the
    /// error.
    mutating func prepare() {
        if !isReady { p256 = try? COSEKeyPair(PrivateKey.generate(.p256)) }
    }

    mutating func take(for curve: Curve) throws(SessionError) -> COSEKeyPair {
        if curve == .p256, let ready = p256.take() { return ready }
        return try mapping(COSEKeyPair(try PrivateKey.generate(curve)), SessionError.cryptography)
    }
}

/// The durations of the phases of a presentation, from the instants at which the phases ended.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    /// The beginning of the phase that is being measured.
    private var start: ContinuousClock.Instant

    init(from start: ContinuousClock.Instant) {
        self.start = start
    }

    /// Ends a phase. An instant before the end of the previous phase is replaced by that end. If a second
    /// request repeats a phase, the times of both are added.
    mutating func end(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant) {
        let end = max(instant, start)
        let duration = start.duration(to: end)
        start = end
        if let index = phases.firstIndex(where: { $0.name == name }) {
            phases[index] = PhaseTime(name: name, duration: phases[index].duration + duration)
        } else {
            phases.append(PhaseTime(name: name, duration: duration))
        }
    }
}
