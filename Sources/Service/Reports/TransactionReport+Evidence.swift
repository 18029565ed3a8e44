internal import MdocVerification
package import ReaderStore

extension TransactionReport {
    package func answer(to question: Question) -> ReceiptQuestion.Answer {
        switch word(answering: question) {
        case .yes: .yes
        case .no: .no
        case .cannotTell: .unknown
        }
    }

    /// The outcome where no person decides: the same for every channel, the exit code and the headline.
    package var conclusion: PresentationConclusion {
        PresentationEvidence(self, asksPerson: false).conclusion
            ?? PresentationConclusion(.unclear, [OutcomeReason.answerUnknown.rawValue])
    }
}

extension PresentationEvidence {
    /// Somebody ended the presentation before an answer.
    package static let cancelled = PresentationEvidence(
        .cancelled, faults: [TransactionError.ID.cancelled.rawValue])

    /// The daemon ended before the presentation did.
    package static let restarted = PresentationEvidence(
        .failed, faults: [OutcomeReason.restarted.rawValue])

    /// What a report says of a presentation.
    ///
    /// - Parameter asksPerson: whether a person is to decide. No person is asked where the outcome could not be `allow`.
    package init(_ report: TransactionReport, asksPerson: Bool) {
        let ids = report.errors.map(\.id)
        switch report.verdict {
        case .mock where !report.isAccepted: self.init(.judged, isTest: true)
        case .verified, .mock:
            self.init(
                .judged, answers: report.questions.map { report.answer(to: $0) },
                isIncomplete: report.isIncomplete, hasUnusable: !report.unusable.isEmpty,
                person: asksPerson ? .awaited : .notAsked)
            if conclusion != nil { person = .notAsked }
        case .rejected: self.init(rejecting: report)
        case .malformed: self.init(.failed, faults: ids)
        case .incomplete where ids == [TransactionError.ID.declined.rawValue]:
            self.init(.declined, faults: ids)
        case .incomplete where ids == [TransactionError.ID.cancelled.rawValue]: self = .cancelled
        case .incomplete: self.init(.failed, faults: ids)
        }
    }

    /// What is not verified answers nothing.
    private init(rejecting report: TransactionReport) {
        let absences = [TransactionError.ID.documentNotReturned, .elementNotReturned].map(\.rawValue)
        var faults: [String] = []
        var unknowns: [String] = []
        for check in report.documents.flatMap(\.report.checks) {
            switch check.outcome {
            case .passed, .skipped: break
            case .failed: faults.append(check.id.rawValue)
            case .undetermined: unknowns.append(check.id.rawValue)
            }
        }
        faults += report.errors.map(\.id).filter { !absences.contains($0) }
        if faults.isEmpty, unknowns.isEmpty { faults = [OutcomeReason.responseRejected.rawValue] }
        self.init(.judged, faults: faults, unknowns: unknowns)
    }
}
