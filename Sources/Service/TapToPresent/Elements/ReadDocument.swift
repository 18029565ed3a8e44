internal import MdocModel
internal import MdocVerification
internal import Reports
internal import ReaderService
internal import RequestPlanner

/// A document that passed every check, and what of it was asked for.
struct ReadDocument {
    let document: VerifiedDocument
    let type: DocumentType
    let plan: RequestPlan
    /// The day of the read, in the zone of the premises (Q161).
    let day: FullDate
    let showing: ResultShowing
    /// Whether a test issuer signed it.
    let isTest: Bool
    /// The evidence for the outcome of a display request, beside the operator's decision.
    let evidence: PresentationEvidence
}

extension ReadDocument {
    /// The document of an outcome that must have one, by the plan that asked for it.
    init(
        _ outcome: Presentation.Outcome, _ choices: [RequestPlan], on day: FullDate, _ showing: ResultShowing
    ) throws(MobileDocumentReaderError) {
        guard case .judged(let judgement) = outcome, case .verified(let response) = judgement.verdict,
            judgement.policy.accepts(response)
        else {
            throw MobileDocumentReaderError(withoutAnswer: outcome)
        }
        for plan in choices {
            for type in plan.intent.documents.flatMap(\.types) {
                guard let document = response.documents.first(where: { $0.docType == type.docType })
                else { continue }
                self.init(
                    document: document, type: type, plan: plan, day: day, showing: showing,
                    isTest: judgement.policy.hasTestDocument(response.reports),
                    evidence: PresentationEvidence(
                        TransactionReport(
                            judgement, expecting: plan.expectation(on: day), requestCompared: true),
                        asksPerson: true))
                return
            }
        }
        throw .unknown(.internalFault)
    }
}
