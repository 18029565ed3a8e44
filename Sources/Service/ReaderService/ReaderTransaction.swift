internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import OpenSSLCrypto

/// One presentation, from the arrival of a phone to the verdict on its answer. Use a new one for each.
package struct ReaderTransaction: Sendable {
    package let plan: PresentationPlan
    let report: @Sendable (PresentationEvent) -> Void

    package init(
        _ plan: PresentationPlan, report: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) {
        self.plan = plan
        self.report = report
    }

    /// The same, whose events go to `other` too.
    package func reporting(
        to other: @escaping @Sendable (PresentationEvent) -> Void
    ) -> ReaderTransaction {
        ReaderTransaction(plan) { [report] event in
            other(event)
            report(event)
        }
    }

    /// How a presentation ended, and what is still said to the phone while the outcome is shown (Q76).
    struct Ending {
        let outcome: Presentation.Outcome
        let leaving: Task<Void, Never>?

        init(_ outcome: Presentation.Outcome, leaving: Task<Void, Never>? = nil) {
            self.outcome = outcome
            self.leaving = leaving
        }
    }

    /// What is known of a presentation while it is running.
    struct Progress {
        var times = PhaseTimes()
        /// The request that went out last.
        var request: SessionRequest?
        var rawAnswer: RawAnswer?
        /// The result of the first question, once the further one is asked.
        var earlier: [Presentation] = []
        let notes = PresentationNotes()
    }

    /// Runs a presentation and measures its phases.
    func timed(
        _ body: (inout Progress) async throws(PresentationFailure) -> Ending
    ) async -> Presentation {
        var progress = Progress()
        let ending: Ending
        do throws(PresentationFailure) {
            ending = try await body(&progress)
        } catch {
            ending = Ending(.failed(error))
        }
        return Presentation(
            after: progress.earlier, outcome: ending.outcome, request: progress.request,
            phases: progress.times.phases,
            rawAnswer: progress.rawAnswer, notes: progress.notes, leaving: ending.leaving)
    }

    /// Sets up the session for an engagement with a fresh key on its curve, and the requests of it.
    func newExchange(
        _ engagement: DeviceEngagement, _ handover: Handover, key: inout ReadyKey
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

    /// Takes a message from the phone, and judges the answer in it.
    func receive(
        _ message: [UInt8], in exchange: inout RequestExchange, now: ContinuousClock.Instant,
        _ progress: inout Progress
    ) throws(PresentationFailure) -> RequestExchange.Step {
        let noted = exchange.session.sequenceNotes.count
        let action = exchange.receive(message[...], now: now)
        for sequence in exchange.session.sequenceNotes.dropFirst(noted) {
            note(PresentationNote(sequence), in: progress.notes)
        }
        switch action {
        case .deliver(let response, let isEnded):
            let outcome = judge(response, in: exchange, isLast: isEnded || !exchange.hasFurtherRequest)
            guard let outcome else { return .ask }
            guard isOfFirstHolder(outcome, progress) else {
                return .end(.failed(.otherDocument), terminationMessage: isEnded ? nil : exchange.terminate())
            }
            if plan.handsOutRawAnswer { progress.rawAnswer = RawAnswer(response, in: exchange.session) }
            progress.times.end(.verification)
            if let further = furtherQuestion(after: outcome, progress) {
                progress.startNextRequest(after: outcome)
                guard !isEnded else { throw .sessionOver }
                exchange.startAsking(further)
                return .ask
            }
            return .end(outcome, terminationMessage: isEnded ? nil : exchange.terminate())
        case .end(let end, let terminationMessage):
            return .end(Self.outcome(of: end), terminationMessage: terminationMessage)
        case .transmit: throw .session(.unexpectedMessage)
        }
    }

    /// What is to be asked next, where this answer to the first question leads on to it.
    private func furtherQuestion(
        after outcome: Presentation.Outcome, _ progress: Progress
    ) -> PresentationQuestion? {
        guard progress.earlier.isEmpty, let further = plan.further,
            let response = outcome.verified, further.isDue(response)
        else { return nil }
        return further.question
    }

    /// Whether the answer to a further question is of the holder of the first. One that is not verified says nothing of its
    /// holder.
    private func isOfFirstHolder(_ outcome: Presentation.Outcome, _ progress: Progress) -> Bool {
        guard let first = progress.earlier.first?.outcome.verified, let response = outcome.verified else {
            return true
        }
        return response.isOfHolder(of: first)
    }

    /// Judges a decrypted answer by what was asked; nil if there is nothing in it and something else can be asked.
    private func judge(
        _ response: [UInt8], in exchange: borrowing RequestExchange, isLast: Bool
    ) -> Presentation.Outcome? {
        report(.verifying)
        let now = plan.clock.now
        let context = VerificationContext(
            transcript: exchange.session.transcript, comparison: .requested(exchange.sent?.documents ?? []),
            readerKey: exchange.session.eReaderKey, trust: plan.trust, now: now,
            day: WallClock.localDay(at: now), policy: plan.policy)
        do throws(MdocModelError) {
            let unverified = try UnverifiedResponse(response[...])
            if !isLast, unverified.isEmpty { return nil }
            if unverified.isDecline { return .declined }
            return .judged(unverified.verify(in: context))
        } catch {
            return .malformed(error)
        }
    }

    static func outcome(of end: SessionEnd) -> Presentation.Outcome {
        switch end {
        case .status(.termination): .declined
        case .status(let status): .failed(.status(status))
        case .overdue: .failed(.consentOverdue)
        case .terminated: .failed(.cancelled)
        case .failed(let error): .failed(.session(error))
        }
    }
}

extension Presentation.Outcome {
    /// The response, where every check passed.
    fileprivate var verified: VerifiedResponse? {
        if case .judged(let judgement) = self, case .verified(let response) = judgement.verdict {
            response
        } else {
            nil
        }
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

extension ReaderTransaction.Progress {
    /// Stores the outcome of the first question.
    fileprivate mutating func startNextRequest(after outcome: Presentation.Outcome) {
        earlier = [
            Presentation(
                outcome: outcome, request: request.take(), phases: [], rawAnswer: rawAnswer.take(),
                notes: PresentationNotes(), leaving: nil)
        ]
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

/// Measures the phases of a presentation, one after the other.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    private var start = ContinuousClock.now

    /// When the last phase ended.
    var latest: ContinuousClock.Instant { start }

    /// Ends a phase now, or at the given instant. What a further request takes is added to what the first took.
    mutating func end(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant = .now) {
        let duration = start.duration(to: instant)
        start = instant
        if let index = phases.firstIndex(where: { $0.name == name }) {
            phases[index] = PhaseTime(name: name, duration: phases[index].duration + duration)
        } else {
            phases.append(PhaseTime(name: name, duration: duration))
        }
    }
}
