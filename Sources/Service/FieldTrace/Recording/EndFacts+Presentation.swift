internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import Reports
internal import RequestPlanner

extension Presentation {
    /// The checks of each document, of the first question too.
    var documentReports: [DocumentReport] {
        let reports = (try? result.get())?.reports ?? []
        return earlier.flatMap(\.documentReports) + reports
    }
}

extension DocumentFacts {
    init(_ report: DocumentReport) {
        let family = DocumentFamily.known.first { family in
            family.types.contains { $0.docType == report.docType }
        }
        self.init(report, family.flatMap { Kind(rawValue: $0.word) } ?? .other)
    }
}

extension EndFacts {
    init(_ presentation: Presentation, reaching milestone: Milestone) {
        let summary = TraceSummary(presentation.result)
        self.milestone = TraceWord(milestone)
        verdict = TraceWord(summary.verdict)
        error = summary.error.map { TraceWord($0) }
        cause = summary.cause
        sessionStatus = summary.sessionStatus
        request = presentation.request.map { RequestFacts($0) }
        phases = presentation.phases.map { phase in
            Phase(name: TraceWord(phase.name), milliseconds: phase.duration.traceMilliseconds)
        }
        next = TraceWord(NextStep(after: presentation))
    }
}

/// What a result says, without personal data.
private struct TraceSummary {
    var verdict = TransactionReport.Verdict.incomplete
    var error: ErrorID?
    var cause: FaultFacts?
    var sessionStatus: UInt64?

    init(_ result: Result<Judgement, PresentationFailure>) {
        switch result {
        case .success(let judgement):
            take(TransactionReport(judgement, expecting: .nothing, requestCompared: true))
        case .failure(let failure): take(failure)
        }
    }

    private mutating func take(_ report: TransactionReport) {
        verdict = report.verdict
        error = report.errors.first.flatMap { ErrorID($0.cause) }
    }

    private mutating func take(_ failure: PresentationFailure) {
        if let report = try? failure.report() { take(report) } else { error = ErrorID(.readerUnavailable) }
        switch failure {
        case .readerUnavailable(let fault): cause = FaultFacts(fault)
        case .engagementOverdue(let tap?): cause = FaultFacts(tap)
        case .transfer(let reason): cause = FaultFacts(reason)
        case .radioUnavailable(let fault): cause = FaultFacts(fault)
        case .connection(let fault): cause = FaultFacts(fault)
        case .bluetooth(let reason): cause = FaultFacts(reason)
        case .status(let status): sessionStatus = min(status.rawValue, 255)
        default: break
        }
    }
}
