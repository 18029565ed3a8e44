internal import MdocModel
internal import MdocVerification
internal import PortraitDecoding
internal import Reports
internal import ReaderService
internal import RequestPlanner

/// A document that passed every check, and what of it was asked for.
struct ReadDocument {
    let document: VerifiedDocument
    let type: DocumentType
    let plan: RequestPlan
    let showing: ResultShowing
    /// Whether a test issuer signed it.
    let isTest: Bool
    /// The report on the response, by the plan that asked for the document.
    private(set) var report: TransactionReport

    /// The evidence for the outcome of a display request, beside the operator's decision.
    var evidence: Conclusion.Evidence { Conclusion.Evidence(report, asksPerson: true) }

    /// The portrait, if a person can compare it with a face. Call `decodePortrait` before.
    var comparablePortrait: ArraySlice<UInt8>? {
        portraitAnswer.map { $0.word == .yes } ?? false ? document.comparablePortrait : nil
    }

    /// Whether there is a portrait to compare, and why not; nil if that was not asked.
    var portraitAnswer: ReasonedAnswer? {
        report.documents.first { $0.verified?.docType == document.docType }?
            .answers.first { $0.subject == .portrait }?.answer
    }

    /// Decodes the portrait, which answers nothing where that fails.
    mutating func decodePortrait(by decoder: PortraitDecoder?) async {
        await report.decodePortraits(by: decoder)
    }
}

extension ReadDocument {
    /// The document of a presentation that must have one, by the plan that asked for it.
    ///
    /// - Parameter day: the day of the read, in the zone of the premises (Q161).
    init(
        _ presentation: Presentation, _ choices: [RequestPlan], on day: FullDate, _ showing: ResultShowing
    ) throws(MobileDocumentReaderError) {
        guard case .success(let judgement) = presentation.result, case .verified(let response) = judgement,
            response.basis.policy.accepts(response)
        else {
            throw MobileDocumentReaderError(withoutAnswer: presentation.result)
        }
        for plan in choices {
            for type in plan.intent.documents.flatMap(\.types) {
                guard let document = response.documents.first(where: { $0.docType == type.docType })
                else { continue }
                self.init(
                    document: document, type: type, plan: plan, showing: showing,
                    isTest: judgement.basis.policy.hasTestDocument(response.reports),
                    report: TransactionReport(
                        judgement, expecting: plan.expectation(on: day), requestCompared: true))
                return
            }
        }
        throw .unknown(.internalFault)
    }
}
