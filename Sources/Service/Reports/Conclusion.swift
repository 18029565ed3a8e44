package import MdocVerification
package import ReaderStore

/// The outcome of a presentation and why it is not `allow`.
package struct Conclusion: Equatable, Sendable {
    package let outcome: Outcome
    /// Each once, by its id. Empty for `allow` alone.
    package let reasons: [Reason]

    /// A test issuer signed the document, which the policy does not accept.
    static let testDocument = Conclusion(.unclear, [.outcome(.documentTest)])

    package init(_ outcome: Outcome, _ reasons: [Reason] = []) {
        self.outcome = outcome
        self.reasons = reasons.reduce(into: []) { reasons, reason in
            if !reasons.contains(where: { $0.id == reason.id }) { reasons.append(reason) }
        }
    }
}

extension Conclusion {
    /// Why an outcome is not `allow`.
    package enum Reason: Hashable, Sendable {
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
}

extension Conclusion {
    /// Everything that the outcome of a presentation follows from.
    package struct Evidence: Equatable, Sendable {
        /// The person who compares and decides.
        package enum Person: Equatable, Sendable {
            case notAsked
            case awaited
            case decided(ReceiptStatement.Decision)
            /// Nobody decided in time.
            case overdue
        }

        /// The outcome where no answer was judged; nil if one was.
        package let unjudged: Outcome?
        /// The checks that failed, and the errors.
        package let faults: [Reason]
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
            unjudged: Outcome? = nil, faults: [Reason] = [], unknowns: [CheckID] = [],
            answers: [Answer] = [], isIncomplete: Bool = false, hasUnusable: Bool = false,
            isTest: Bool = false, person: Person = .notAsked
        ) {
            self.unjudged = unjudged
            self.faults = faults
            self.unknowns = unknowns
            self.answers = answers
            self.isIncomplete = isIncomplete
            self.hasUnusable = hasUnusable
            self.isTest = isTest
            self.person = person
        }

        /// The outcome: the first that fits. Nil while the person's decision alone separates it from `allow`.
        package var conclusion: Conclusion? {
            if let unjudged { return Conclusion(unjudged, faults) }
            if !denials.isEmpty { return Conclusion(.deny, denials) }
            if !doubts.isEmpty { return Conclusion(.unclear, doubts) }
            return person == .awaited ? nil : Conclusion(.allow)
        }

        private var denials: [Reason] {
            var reasons: [OutcomeReason] = []
            if answers.contains(.no) { reasons.append(.answerNo) }
            if person == .decided(.rejected) { reasons.append(.decisionRejected) }
            return faults + reasons.map(Reason.outcome)
        }

        private var doubts: [Reason] {
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
            return unknowns.map(Reason.check) + reasons.map(Reason.outcome)
        }
    }
}

extension TransactionReport {
    /// The outcome where no person decides: the same for every channel, the exit code and the headline.
    package var conclusion: Conclusion {
        Conclusion.Evidence(self, asksPerson: false).conclusion
            ?? Conclusion(.unclear, [.outcome(.answerUnknown)])
    }
}

extension Conclusion.Evidence {
    /// Somebody ended the presentation before an answer.
    package static let cancelled = Conclusion.Evidence(
        unjudged: .cancelled, faults: [.error(.transaction(.cancelled))])

    /// The daemon ended before the presentation did.
    package static let restarted = Conclusion.Evidence(
        unjudged: .failed, faults: [.outcome(.restarted)])

    /// The evidence in a report on a presentation.
    ///
    /// - Parameter asksPerson: whether a person is to decide. No person is asked where the outcome could not be `allow`.
    package init(_ report: TransactionReport, asksPerson: Bool) {
        let errors = report.errors.map { Conclusion.Reason.error($0.cause) }
        switch report.verdict {
        case .mock where !report.isAccepted: self.init(isTest: true)
        case .verified, .mock:
            self.init(
                answers: report.questions.map { report.answer(to: $0) },
                isIncomplete: report.isIncomplete, hasUnusable: !report.unusable.isEmpty,
                person: asksPerson ? .awaited : .notAsked)
            if conclusion != nil { person = .notAsked }
        case .rejected: self.init(rejecting: report)
        case .malformed, .incomplete: self.init(unjudged: report.unjudged, faults: errors)
        }
    }

    /// The evidence of a response that is not verified: it answers nothing.
    private init(rejecting report: TransactionReport) {
        let absences: [TransactionError.Cause] = [
            .transaction(.documentNotReturned), .transaction(.elementNotReturned),
        ]
        var faults: [Conclusion.Reason] = []
        var unknowns: [CheckID] = []
        for check in report.documents.flatMap(\.report.checks) {
            switch check.outcome {
            case .passed, .skipped: break
            case .failed: faults.append(.check(check.id))
            case .undetermined: unknowns.append(check.id)
            }
        }
        faults += report.errors.map(\.cause).filter { !absences.contains($0) }.map(Conclusion.Reason.error)
        if faults.isEmpty, unknowns.isEmpty { faults = [.outcome(.responseRejected)] }
        self.init(faults: faults, unknowns: unknowns)
    }
}
