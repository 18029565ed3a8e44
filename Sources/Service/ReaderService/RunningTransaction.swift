internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import OpenSSLCrypto

/// A presentation while it runs: the times of its phases, the request and the answer so far, the result of a first question, the
/// notes on the phone's messages, and the key of the next session.
///
/// A run of a `ReaderTransaction` makes it, engages a phone, and hands its session to `complete`, which asks and judges until there is
/// a result. No tap resumes another (Q2): `startTap` forgets everything but the key.
struct RunningTransaction {
    let transaction: ReaderTransaction
    private var times: PhaseTimes
    /// The request that went out last.
    private var request: SessionRequest?
    private var rawAnswer: RawAnswer?
    /// The result of the first question, once the further one is asked.
    private var earlier: [Presentation] = []
    private(set) var notes = PresentationNotes()
    private var key = ReadyKey()

    init(_ transaction: ReaderTransaction, now: ContinuousClock.Instant) {
        self.transaction = transaction
        times = PhaseTimes(from: now)
    }

    var plan: PresentationPlan { transaction.plan }

    func report(_ event: PresentationEvent) { transaction.report(event) }

    /// Begins with another tap.
    mutating func startTap(now: ContinuousClock.Instant) {
        let key = key
        self = RunningTransaction(transaction, now: now)
        self.key = key
    }

    mutating func endPhase(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant) {
        times.end(name, at: instant)
    }

    /// The presentation as it ends with a result.
    ///
    /// - Parameter leaving: the notification of the phone, which continues while the result is shown (Q76).
    func presentation(
        _ result: Result<Judgement, PresentationFailure>, leaving: Task<Void, Never>? = nil
    ) -> Presentation {
        Presentation(
            result, after: earlier, request: request, phases: times.phases, rawAnswer: rawAnswer,
            notes: notes,
            leaving: leaving)
    }

    // MARK: Session

    /// Makes the key of the next session while nobody waits for it.
    mutating func prepareKey() {
        key.prepare()
    }

    /// Sets up the session for an engagement with a fresh key on its curve, and the requests of it.
    mutating func newExchange(
        _ engagement: DeviceEngagement, _ handover: Handover
    ) throws(PresentationFailure) -> RequestExchange {
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

    /// Sends request after request until an answer ends the presentation, and notifies the phone that the session
    /// ends.
    mutating func complete<Carrier: SessionCarrier>(
        _ exchange: inout RequestExchange, over carrier: inout Carrier
    ) async throws(Carrier.End) -> Presentation {
        do throws(Carrier.End) {
            while true {
                guard case .message(let message, let began) = try await ask(&exchange, over: &carrier) else {
                    return presentation(
                        .failure(.declined), leaving: await carrier.terminate(sending: nil))
                }
                let consented = began ?? .now
                endPhase(.consent, at: consented)
                if began != nil { endPhase(.transfer, at: .now) }
                // Consent ended when the answer began. The time for the rest of the transfer has a separate
                // deadline.
                let end = try mapping(receive(message, in: &exchange, now: consented), Carrier.end)
                guard let end else { continue }
                return presentation(
                    end.result, leaving: await carrier.terminate(sending: end.terminationMessage))
            }
        } catch {
            await carrier.terminate(sending: exchange.terminate())?.value
            throw error
        }
    }

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
        if carrier.mayBeSent { request = exchange.sent }
        if let sent = carrier.sent { endPhase(.request, at: sent) }
        return try result.get()
    }

    // MARK: Answers

    /// Decrypts a message of the phone, and judges the answer in it.
    ///
    /// - Returns: the result and the termination message for the phone; nil if another request follows, since the answer has no
    ///   document or leads on to a further question.
    private mutating func receive(
        _ message: [UInt8], in exchange: inout RequestExchange, now: ContinuousClock.Instant
    ) throws(PresentationFailure) -> (
        result: Result<Judgement, PresentationFailure>, terminationMessage: [UInt8]?
    )? {
        let noted = exchange.session.sequenceNotes.count
        let action = exchange.receive(message[...], now: now)
        for sequence in exchange.session.sequenceNotes.dropFirst(noted) {
            transaction.note(PresentationNote(sequence), in: notes)
        }
        switch action {
        case .deliver(let response, let isEnded):
            let result = judge(response, in: exchange, isLast: isEnded || !exchange.hasFurtherRequest)
            guard let result else { return nil }
            guard isOfFirstHolder(result) else {
                return (.failure(.otherDocument), isEnded ? nil : exchange.terminate())
            }
            if plan.handsOutRawAnswer { rawAnswer = RawAnswer(response, in: exchange.session) }
            endPhase(.verification, at: .now)
            if let further = furtherQuestion(after: result) {
                startNextRequest(after: result)
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

    /// What is to be asked next, where this answer to the first question leads on to it.
    private func furtherQuestion(
        after result: Result<Judgement, PresentationFailure>
    ) -> PresentationQuestion? {
        guard earlier.isEmpty, let further = plan.further,
            let response = result.verified, further.isDue(response)
        else { return nil }
        return further.question
    }

    /// Stores the result of the first question.
    private mutating func startNextRequest(after result: Result<Judgement, PresentationFailure>) {
        earlier = [
            Presentation(
                result, request: request.take(), phases: [], rawAnswer: rawAnswer.take(), leaving: nil)
        ]
    }

    /// Whether the answer to a further question is of the holder of the first. One that is not verified says nothing of its
    /// holder.
    private func isOfFirstHolder(_ result: Result<Judgement, PresentationFailure>) -> Bool {
        guard let first = earlier.first?.result.verified, let response = result.verified else {
            return true
        }
        return response.isOfHolder(of: first)
    }

    /// Judges a decrypted answer by what was asked; nil if there is nothing in it and something else can be asked.
    private func judge(
        _ response: [UInt8], in exchange: borrowing RequestExchange, isLast: Bool
    ) -> Result<Judgement, PresentationFailure>? {
        report(.verifying)
        let now = plan.clock.now
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
    /// The failure that a session without an answer ended with.
    fileprivate init(_ end: SessionEnd) {
        self =
            switch end {
            case .status(.termination): .declined
            case .status(let status): .status(status)
            case .overdue: .consentOverdue
            case .terminated: .cancelled
            case .failed(let error): .session(error)
            }
    }
}

extension Result<Judgement, PresentationFailure> {
    /// The response, where every check passed.
    fileprivate var verified: VerifiedResponse? {
        if case .success(.verified(let response)) = self { response } else { nil }
    }
}

extension UnverifiedResponse {
    /// Whether it is valid and has no document.
    fileprivate var isEmpty: Bool {
        version?.hasPrefix("1.") == true && status == 0 && documents.isEmpty && otherForms.isEmpty
    }

    /// Whether the holder returned none of the documents, and said so for each.
    fileprivate var isDecline: Bool {
        isEmpty && !hasUnreadableErrors && !documentErrors.isEmpty
            && documentErrors.allSatisfy { $0.code == 0 }
    }
}

/// The ephemeral key of the next session: on P-256, the curve of every session met so far, it is made while nobody
/// waits for it (Q190). Each is handed out once.
struct ReadyKey {
    private var p256: COSEKeyPair?

    var isReady: Bool { p256 != nil }

    mutating func prepare() {
        if !isReady { p256 = try? COSEKeyPair(PrivateKey.generate(.p256)) }
    }

    mutating func take(for curve: Curve) throws(SessionError) -> COSEKeyPair {
        if curve == .p256, let ready = p256.take() { return ready }
        return try mapping(COSEKeyPair(try PrivateKey.generate(curve)), SessionError.cryptography)
    }
}

/// The phases of a presentation, one after the other, by the instants at which they ended.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    /// The beginning of the phase that is measured now.
    private var start: ContinuousClock.Instant

    init(from start: ContinuousClock.Instant) {
        self.start = start
    }

    /// Ends a phase, at the earliest with the one before. The time of a further request is added to that of the first.
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
