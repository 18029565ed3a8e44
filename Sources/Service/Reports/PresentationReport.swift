package import Transport
internal import CBOR
package import MdocModel
internal import MdocSession
internal import MdocVerification
package import ReaderService
package import RequestPlanner

/// The result of one presentation: a report, and separately its portrait.
package struct PresentationReport {
    package private(set) var report: TransactionReport
    /// The verified portrait, where one came and only one.
    package let portrait: ArraySlice<UInt8>?

    /// Throws where there was no reader to begin with.
    ///
    /// - Parameter day: today, in the zone of the premises.
    package init(_ presentation: Presentation, asking plan: RequestPlan, on day: FullDate)
        throws(ReaderFault)
    {
        (report, portrait) = try Self.judged(presentation.outcome, questions: plan.questions(on: day))
        report.asked = AskedRequest(plan: plan, sent: presentation.request)
        report.phases = presentation.phases.map {
            TransactionReport.Phase(name: $0.name.rawValue, duration: $0.duration)
        }
    }

    private static func judged(
        _ outcome: Presentation.Outcome, questions: [Question]
    ) throws(ReaderFault) -> (TransactionReport, ArraySlice<UInt8>?) {
        switch outcome {
        case .judged(let judgement):
            let report = TransactionReport(judgement, questions: questions, requestCompared: true)
            let portraits = report.documents.compactMap { $0.verified?.portrait }
            return (report, portraits.count == 1 ? portraits.first : nil)
        case .malformed(let error):
            return (.malformed(TransactionError(.responseMalformed, error.explanation)), nil)
        case .declined:
            let detail = "nothing was returned: the holder declined, or the wallet does not know this reader"
            return (.incomplete(TransactionError(.declined, detail)), nil)
        case .failed(let failure): return (try failure.report(), nil)
        }
    }
}
