package import MdocModel
internal import MdocVerification
package import ReaderService
package import RequestPlanner
package import Transport

extension TransactionReport {
    /// Creates the report on a presentation.
    ///
    /// - Parameter day: today, in the time zone of the premises (Q161).
    /// - Throws: the fault of the reader if no reader could be used.
    package init(
        _ presentation: Presentation, asking plan: RequestPlan, on day: FullDate
    ) throws(ReaderFault) {
        switch presentation.result {
        case .success(let judgement):
            // `requestCompared`: the transaction has compared the response with its request.
            self.init(judgement, expecting: plan.expectation(on: day), requestCompared: true)
        case .failure(let failure): self = try failure.report()
        }
        if presentation.failedOnRequest {
            adviseOnUndecodedRequest(isExtended: presentation.request?.isExtended)
        }
        asked = AskedRequest(plan: plan, sent: presentation.request)
        engagementKind = presentation.engagementKind
        notes = presentation.notes
        phases = presentation.phases.map { Phase(name: $0.name.rawValue, duration: $0.duration) }
    }

    /// Returns the report of a presentation for which no reader could be used.
    package static func unavailable(_ fault: ReaderFault) -> TransactionReport {
        .incomplete(TransactionError(.readerUnavailable, fault.advice))
    }

    /// The verified portrait as the phone sent it; `nil` unless exactly one portrait was returned.
    package var portrait: ArraySlice<UInt8>? {
        let portraits = documents.compactMap { $0.verified?.portrait }
        return portraits.count == 1 ? portraits.first : nil
    }

    /// A copy of this report without element values. Answers, checks and issuers stay.
    package var withoutElements: TransactionReport {
        var report = self
        report.removeElements()
        return report
    }
}
