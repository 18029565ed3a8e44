internal import Transport
internal import JSON
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderStore
internal import Reports

/// The result of a presentation, without any element value: answers, reasons, who issued, and how sure that is.
struct PresentationResult: Sendable {
    struct Answered: Sendable {
        let ask: ReceiptQuestion.Subject
        let answer: ReceiptQuestion.Answer
    }

    struct Reason: Sendable {
        let id: String
        let text: String
    }

    /// The document that answers.
    struct Basis: Sendable {
        let docType: String
        let parts: JSONValue
        let issuerCountry: String?
        let issuerName: String?
        /// Whether a document that came is a test's.
        let isTest: Bool
    }

    let verdict: TransactionReport.Verdict
    let answers: [Answered]
    let reasons: [Reason]
    let document: Basis?
    let trustSnapshot: String?
    /// How old the newest list was by which was judged.
    let trustAge: Int64?
    let policy: String?

    private static let mostReasons = 40

    init(_ report: TransactionReport, by basis: JudgingBasis, at now: Timestamp) {
        verdict = report.verdict
        answers = report.questions.compactMap { question in
            question.subject.receiptSubject.map { Answered(ask: $0, answer: report.answer(to: question)) }
        }
        let failures = report.documents.flatMap(\.report.checks).compactMap { check -> Reason? in
            switch check.outcome {
            case .passed, .skipped: nil
            case .failed, .undetermined:
                Reason(id: check.id.rawValue, text: Terminal.safe(check.explanation, limit: 400))
            }
        }
        let errors = report.errors.map { Reason(id: $0.id, text: Terminal.safe($0.detail, limit: 400)) }
        reasons = Array((failures + errors).prefix(Self.mostReasons))
        let isTest = report.documents.contains { document in
            document.report.issuer.map { basis.testRoots.contain($0) } ?? false
        }
        document = report.documents.first.map { document in
            Basis(
                docType: document.report.docType, parts: document.report.parts.json,
                issuerCountry: document.report.issuer?.country.map { Terminal.safe($0, limit: 8) },
                issuerName: document.report.issuer.flatMap { $0.issuerCommonName ?? $0.dsCommonName }
                    .map { Terminal.safe($0, limit: 120) }, isTest: isTest)
        }
        trustSnapshot = report.basis?.trustSnapshot.description
        trustAge = report.basis.flatMap { _ in basis.age(at: now) }
        policy = report.basis?.policy.revocation.name
    }

    /// Why no reader was there to begin with.
    init(_ fault: ReaderFault) {
        verdict = .incomplete
        (answers, document, trustSnapshot, trustAge, policy) = ([], nil, nil, nil, nil)
        reasons = [Reason(id: LaneReason.readerUnavailable.rawValue, text: fault.advice)]
    }
}

/// Why a presentation has no result, beside the reasons that a report has.
enum LaneReason: String, CaseIterable, Sendable {
    /// A lane's reader is what is missing.
    case readerUnavailable = "reader.unavailable"
}

extension TransactionReport {
    /// Yes where each document that came says yes, no where one says no.
    func answer(to question: Question) -> ReceiptQuestion.Answer {
        let words = documents.filter { question.docTypes.contains($0.report.docType) }
            .map { Answer(question, by: $0.verified).word }
        if words.contains(.no) { return .no }
        return !words.isEmpty && words.allSatisfy { $0 == .yes } ? .yes : .unknown
    }
}
