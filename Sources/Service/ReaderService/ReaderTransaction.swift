internal import COSE
internal import MdocModel
internal import MdocSession
internal import MdocVerification
internal import OpenSSLCrypto

/// One presentation, from a phone that comes to the verdict on its answer. Made anew for each.
package struct ReaderTransaction: Sendable {
    package let plan: PresentationPlan
    let report: @Sendable (PresentationEvent) -> Void

    package init(
        _ plan: PresentationPlan, report: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) {
        self.plan = plan
        self.report = report
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

    /// Runs a presentation and measures its phases.
    func timed(
        _ body: (inout PhaseTimes) async throws(PresentationFailure) -> Ending
    ) async -> Presentation {
        var times = PhaseTimes()
        let ending: Ending
        do throws(PresentationFailure) {
            ending = try await body(&times)
        } catch {
            ending = Ending(.failed(error))
        }
        return Presentation(outcome: ending.outcome, phases: times.phases, leaving: ending.leaving)
    }

    /// The DeviceRequest. Its bytes are the same for every tap of the transaction (Q57).
    var deviceRequest: [UInt8] {
        DeviceRequest.encode(plan.requests.map { (items: $0.encoded(), readerAuth: nil) })
    }

    /// Sets up the session for an engagement with a fresh key on its curve.
    func session(
        _ engagement: DeviceEngagement, _ handover: Handover, key: inout ReadyKey
    ) throws(PresentationFailure) -> ReaderSession {
        do throws(SessionError) {
            return try ReaderSession(
                engagement: engagement, handover: handover,
                eReaderKey: key.take(for: engagement.eDeviceKey.curve), consent: plan.deadlines.consent)
        } catch {
            throw .session(error)
        }
    }

    /// The first message of a session, which holds the request.
    func establishment(_ session: inout ReaderSession) throws(PresentationFailure) -> [UInt8] {
        do throws(SessionError) {
            guard case .transmit(let message, _) = try session.send(deviceRequest[...], now: .now) else {
                throw .unexpectedMessage
            }
            return message
        } catch {
            throw .session(error)
        }
    }

    /// Judges a decrypted answer.
    func judge(_ response: [UInt8], in session: borrowing ReaderSession) -> Presentation.Outcome {
        report(.verifying)
        let context = VerificationContext(
            transcript: session.transcript, comparison: .requested(plan.requests),
            readerKey: session.eReaderKey, trust: plan.trust, now: plan.now(), rules: plan.rules,
            policy: plan.policy, clockSkew: plan.clockSkew)
        do throws(MdocModelError) {
            let unverified = try UnverifiedResponse(response[...])
            if unverified.isDecline { return .declined }
            return .judged(unverified.verify(in: context))
        } catch {
            return .malformed(error)
        }
    }

    /// What the end of a session means for the presentation.
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

extension UnverifiedResponse {
    /// Whether the holder returned none of the documents, and said so for each.
    fileprivate var isDecline: Bool {
        version?.hasPrefix("1.") == true && status == 0 && documents.isEmpty && !hasDocumentsInOtherForms
            && !documentErrors.isEmpty
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
        do throws(OpenSSLCryptoError) {
            return COSEKeyPair(try PrivateKey.generate(curve))
        } catch {
            throw .cryptography(error)
        }
    }
}
