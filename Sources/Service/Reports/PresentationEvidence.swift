package import MdocVerification
package import ReaderStore

/// Everything that the outcome of a presentation follows from.
package struct PresentationEvidence: Equatable, Sendable {
    /// The person who compares and decides.
    package enum Person: Equatable, Sendable {
        case notAsked
        case awaited
        case decided(ReceiptStatement.Decision)
        /// Nobody decided in time.
        case overdue
    }

    package let ending: TransactionReport.Ending
    /// The checks that failed, and the errors.
    package let faults: [ConclusionReason]
    /// The checks that could not be made and had to be.
    package let unknowns: [CheckID]
    package let answers: [Answer]
    /// Whether an element that is needed did not come, or nothing came of what was asked for.
    package let isIncomplete: Bool
    /// Whether an element that is needed came with a value that is not of its type.
    package let hasUnusable: Bool
    /// Whether the issuer of a document is for tests, which the policy does not accept.
    package let isTest: Bool
    package var person: Person

    package init(
        _ ending: TransactionReport.Ending, faults: [ConclusionReason] = [], unknowns: [CheckID] = [],
        answers: [Answer] = [], isIncomplete: Bool = false, hasUnusable: Bool = false,
        isTest: Bool = false, person: Person = .notAsked
    ) {
        self.ending = ending
        self.faults = faults
        self.unknowns = unknowns
        self.answers = answers
        self.isIncomplete = isIncomplete
        self.hasUnusable = hasUnusable
        self.isTest = isTest
        self.person = person
    }

    /// The outcome: the first that fits. Nil while the person's decision alone separates it from `allow`.
    package var conclusion: PresentationConclusion? {
        switch ending {
        case .cancelled: return PresentationConclusion(.cancelled, faults)
        case .declined: return PresentationConclusion(.declined, faults)
        case .failed: return PresentationConclusion(.failed, faults)
        case .judged: break
        }
        if !denials.isEmpty { return PresentationConclusion(.deny, denials) }
        if !doubts.isEmpty { return PresentationConclusion(.unclear, doubts) }
        return person == .awaited ? nil : PresentationConclusion(.allow)
    }

    private var denials: [ConclusionReason] {
        var reasons: [OutcomeReason] = []
        if answers.contains(.no) { reasons.append(.answerNo) }
        if person == .decided(.rejected) { reasons.append(.decisionRejected) }
        return faults + reasons.map(ConclusionReason.outcome)
    }

    private var doubts: [ConclusionReason] {
        var reasons: [OutcomeReason] = []
        if answers.contains(.unknown) { reasons.append(.answerUnknown) }
        if isIncomplete { reasons.append(.elementNotReturned) }
        if hasUnusable { reasons.append(.elementUnusable) }
        if isTest { reasons.append(.documentTest) }
        switch person {
        case .decided(.dismissed): reasons.append(.decisionDismissed)
        case .overdue: reasons.append(.decisionOverdue)
        case .notAsked, .awaited, .decided(.approved), .decided(.rejected): break
        }
        return unknowns.map(ConclusionReason.check) + reasons.map(ConclusionReason.outcome)
    }
}
