internal import MdocVerification
internal import ReaderStore

extension TransactionReport {
    /// The outcome where no person decides: the same for every channel, the exit code and the headline.
    package var conclusion: PresentationConclusion {
        PresentationEvidence(self, asksPerson: false).conclusion
            ?? PresentationConclusion(.unclear, [.outcome(.answerUnknown)])
    }
}

extension PresentationEvidence {
    /// Somebody ended the presentation before an answer.
    package static let cancelled = PresentationEvidence(
        .cancelled, faults: [.error(.transaction(.cancelled))])

    /// The daemon ended before the presentation did.
    package static let restarted = PresentationEvidence(
        .failed, faults: [.outcome(.restarted)])

    /// What a report says of a presentation.
    ///
    /// - Parameter asksPerson: whether a person is to decide. No person is asked where the outcome could not be `allow`.
    package init(_ report: TransactionReport, asksPerson: Bool) {
        let errors = report.errors.map { ConclusionReason.error($0.cause) }
        switch report.verdict {
        case .mock where !report.isAccepted: self.init(.judged, isTest: true)
        case .verified, .mock:
            self.init(
                .judged, answers: report.questions.map { report.answer(to: $0) },
                isIncomplete: report.isIncomplete, hasUnusable: !report.unusable.isEmpty,
                person: asksPerson ? .awaited : .notAsked)
            if conclusion != nil { person = .notAsked }
        case .rejected: self.init(rejecting: report)
        case .malformed, .incomplete: self.init(report.ending, faults: errors)
        }
    }

    /// What is not verified answers nothing.
    private init(rejecting report: TransactionReport) {
        let absences: [TransactionError.Cause] = [
            .transaction(.documentNotReturned), .transaction(.elementNotReturned),
        ]
        var faults: [ConclusionReason] = []
        var unknowns: [CheckID] = []
        for check in report.documents.flatMap(\.report.checks) {
            switch check.outcome {
            case .passed, .skipped: break
            case .failed: faults.append(.check(check.id))
            case .undetermined: unknowns.append(check.id)
            }
        }
        faults += report.errors.map(\.cause).filter { !absences.contains($0) }.map(ConclusionReason.error)
        if faults.isEmpty, unknowns.isEmpty { faults = [.outcome(.responseRejected)] }
        self.init(.judged, faults: faults, unknowns: unknowns)
    }
}
