package import MdocVerification
package import ReaderStore

/// Why an outcome is not `allow`.
package enum ConclusionReason: Hashable, Sendable {
    /// A check that failed, or could not be made.
    case check(CheckID)
    case error(TransactionError.Cause)
    case outcome(OutcomeReason)

    /// The stable id, as `Documentation/command-line.md` lists it.
    package var id: String {
        switch self {
        case .check(let id): id.rawValue
        case .error(let cause): cause.id
        case .outcome(let reason): reason.rawValue
        }
    }

    /// The reason, where it is neither a check nor an error.
    package var outcomeReason: OutcomeReason? {
        if case .outcome(let reason) = self { reason } else { nil }
    }
}

/// The outcome of a presentation and why it is not `allow`.
package struct PresentationConclusion: Equatable, Sendable {
    package let outcome: PresentationOutcome
    /// Each once, by its id. Empty for `allow` alone.
    package let reasons: [ConclusionReason]

    /// A test issuer signed the document, which the policy does not accept.
    static let testDocument = PresentationConclusion(.unclear, [.outcome(.documentTest)])

    package init(_ outcome: PresentationOutcome, _ reasons: [ConclusionReason] = []) {
        self.outcome = outcome
        self.reasons = reasons.reduce(into: []) { reasons, reason in
            if !reasons.contains(where: { $0.id == reason.id }) { reasons.append(reason) }
        }
    }
}
