package import MdocVerification
package import ReaderStore

/// The outcome of a presentation, on which a till acts, and the reasons why it is not `allow`.
///
/// A conclusion follows from `Evidence` and nothing else. The evidence is read from a `TransactionReport`; if
/// a person has to decide, that person's decision is a part of the evidence. The first of these rules that
/// applies gives the outcome:
/// 1. No answer was judged: `declined`, `cancelled` or `failed`, depending on the cause.
/// 2. A check failed, the answer to a question is no, or the person rejected the phone's answer: `deny`.
/// 3. A check could not be made, the answer to a question is unknown, a needed element is missing or
///    unusable, the document is a test document, or nobody decided: `unclear`.
/// 4. The person has not decided yet: there is no conclusion.
/// 5. Otherwise: `allow`.
///
/// These rules apply to a presentation over NFC or Bluetooth and to a presentation through an app or a web
/// page. The exit code, the API and the receipts use them. Without a needed document, element or answer the
/// outcome is never `allow`. A conclusion contains no element value.
package struct Conclusion: Equatable, Sendable {
    package let outcome: Outcome
    /// The reasons, each id at most once. Empty only if the outcome is `allow`.
    package let reasons: [Reason]

    /// The conclusion for a test document that the policy does not accept.
    static let testDocument = Conclusion(.unclear, [.outcome(.documentTest)])

    package init(_ outcome: Outcome, _ reasons: [Reason] = []) {
        self.outcome = outcome
        self.reasons = reasons.reduce(into: []) { reasons, reason in
            if !reasons.contains(where: { $0.id == reason.id }) { reasons.append(reason) }
        }
    }
}

extension Conclusion {
    /// A reason why an outcome is not `allow`.
    package enum Reason: Hashable, Sendable {
        /// A check that failed or could not be made.
        case check(CheckID)
        /// An error outside the checks of a document.
        case error(TransactionError.Cause)
        /// A reason that is neither a check nor an error.
        case outcome(OutcomeReason)

        /// The stable id, as `Documentation/command-line.md` lists it.
        package var id: String {
            switch self {
            case .check(let id): id.rawValue
            case .error(let cause): cause.id
            case .outcome(let reason): reason.rawValue
            }
        }

        /// The `OutcomeReason`; `nil` for a check or an error.
        package var outcomeReason: OutcomeReason? {
            if case .outcome(let reason) = self { reason } else { nil }
        }
    }
}

extension Conclusion {
    /// The facts from which the outcome of a presentation follows.
    package struct Evidence: Equatable, Sendable {
        /// The state of a person's decision about the answer.
        package enum Person: Equatable, Sendable {
            /// The decision of a person is not needed.
            case notAsked
            /// The decision is awaited.
            case awaited
            /// The person decided.
            case decided(ReceiptStatement.Decision)
            /// Nobody decided in time.
            case overdue
        }

        /// The outcome if no answer was judged; `nil` if an answer was judged.
        package let unjudged: Outcome?
        /// The reasons that lead to `deny`, such as failed checks and errors. If `unjudged` has a value, these
        /// are the reasons for the outcome `unjudged`.
        package let faults: [Reason]
        /// The required checks that could not be made.
        package let unknowns: [CheckID]
        package let answers: [Answer]
        /// Whether a needed document or element is missing, or a document was returned without any element.
        package let isIncomplete: Bool
        /// Whether a needed element was returned with a value that cannot be used.
        package let hasUnusable: Bool
        /// Whether a test issuer signed a document, and the policy accepts no test documents.
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

        /// The conclusion, by the first rule of `Conclusion` that applies. `nil` if the answer leads to
        /// `allow` and the person has not decided yet.
        package var conclusion: Conclusion? {
            if let unjudged { return Conclusion(unjudged, faults) }
            if !denials.isEmpty { return Conclusion(.deny, denials) }
            if !doubts.isEmpty { return Conclusion(.unclear, doubts) }
            return person == .awaited ? nil : Conclusion(.allow)
        }

        /// The reasons for `deny`.
        private var denials: [Reason] {
            var reasons: [OutcomeReason] = []
            if answers.contains(.no) { reasons.append(.answerNo) }
            if person == .decided(.rejected) { reasons.append(.decisionRejected) }
            return faults + reasons.map(Reason.outcome)
        }

        /// The reasons for `unclear`.
        private var doubts: [Reason] {
            var reasons: [OutcomeReason] = []
            if answers.contains(.unknown) { reasons.append(.answerUnknown) }
            if isIncomplete { reasons.append(.elementNotReturned) }
            if hasUnusable { reasons.append(.elementUnusable) }
            if isTest { reasons.append(.documentTest) }
            switch person {
            case .decided(.dismissed): reasons.append(.decisionDismissed)
            case .overdue: reasons.append(.decisionOverdue)
            // A rejection is a reason for `deny`. The other three states are no reason for `unclear`.
            case .notAsked, .awaited, .decided(.approved), .decided(.rejected): break
            }
            return unknowns.map(Reason.check) + reasons.map(Reason.outcome)
        }
    }
}

extension TransactionReport {
    /// The conclusion if no person decides. The exit code, the text and the JSON of a report use this
    /// conclusion.
    package var conclusion: Conclusion {
        // If no person is asked, there is always a conclusion. If a bug broke this rule, `unclear` would be
        // the safe outcome.
        Conclusion.Evidence(self, asksPerson: false).conclusion
            ?? Conclusion(.unclear, [.outcome(.answerUnknown)])
    }
}

extension Conclusion.Evidence {
    /// The evidence of a presentation that was cancelled before an answer was judged.
    package static let cancelled = Conclusion.Evidence(
        unjudged: .cancelled, faults: [.error(.transaction(.cancelled))])

    /// The evidence of a presentation that was still in progress when the daemon ended.
    package static let restarted = Conclusion.Evidence(
        unjudged: .failed, faults: [.outcome(.restarted)])

    /// Creates the evidence from a report on a presentation.
    ///
    /// - Parameter asksPerson: whether a person is to decide. No person is asked if the outcome cannot be
    ///   `allow`.
    package init(_ report: TransactionReport, asksPerson: Bool) {
        let errors = report.errors.map { Conclusion.Reason.error($0.cause) }
        switch report.verdict {
        // The elements of this document are withheld, so they answer no question. The test issuer is the only
        // reason for the outcome.
        case .mock where !report.isAccepted: self.init(isTest: true)
        case .verified, .mock:
            self.init(
                answers: report.questions.map { report.answer(to: $0) },
                isIncomplete: report.isIncomplete, hasUnusable: !report.unusable.isEmpty,
                person: asksPerson ? .awaited : .notAsked)
            // The conclusion does not depend on a person, so no person is asked.
            if conclusion != nil { person = .notAsked }
        case .rejected: self.init(rejecting: report)
        case .malformed, .incomplete: self.init(unjudged: report.unjudged, faults: errors)
        }
    }

    /// Creates the evidence of a rejected response, which answers no question.
    private init(rejecting report: TransactionReport) {
        let absences: [TransactionError.Cause] = [
            .transaction(.documentNotReturned), .transaction(.elementNotReturned),
        ]
        var faults: [Conclusion.Reason] = []
        var unknowns: [CheckID] = []
        for check in report.documents.flatMap(\.report.checks) {
            switch check.outcome {
            // A skipped check adds no reason, because the earlier check that failed is the reason.
            case .passed, .skipped: break
            case .failed: faults.append(.check(check.id))
            case .undetermined: unknowns.append(check.id)
            }
        }
        // An absent document or element is no reason for `deny`.
        faults += report.errors.map(\.cause).filter { !absences.contains($0) }.map(Conclusion.Reason.error)
        // Without any reason the outcome of a rejected response would be `allow`.
        if faults.isEmpty, unknowns.isEmpty { faults = [.outcome(.responseRejected)] }
        self.init(faults: faults, unknowns: unknowns)
    }
}
