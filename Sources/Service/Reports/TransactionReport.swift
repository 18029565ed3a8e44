package import JSON
internal import MdocModel
internal import MdocTrust
package import MdocVerification
package import ReaderService
package import ReaderStore
package import RequestPlanner

/// The result of a transaction, with everything that may be reported about it. The command line, the API, the
/// receipts and the library make their results from this value.
///
/// A report is made once, from a `Judgement` or from the failure of a presentation, and compared with an
/// `AnswerExpectation`:
/// - `verdict` is the result of the checks, and `errors` lists the faults outside the checks;
/// - `documents` has one `DocumentOutcome` for each document;
/// - `questions`, `answer(to:)`, `missing` and `unusable` say what the answer means for the request;
/// - `conclusion` gives the outcome that a till acts on, with its reasons.
///
/// Afterwards the result can change in three ways: advice is added to an error, a portrait that cannot be
/// decoded is refused, and elements are removed when the time for showing them is over.
///
/// Personal data is only in `documents`: the elements of `DocumentOutcome.verified`, and the reasons of
/// answers, which may contain dates. The elements are present only if the report is accepted: every check
/// passed, or the policy accepts test documents. `withoutElements` has neither elements nor reasons.
///
/// A report makes no check, reads no clock and writes nothing. Text, JSON and receipts are made from a
/// report; a report is never made from them.
package struct TransactionReport: Sendable {
    /// The verdict of the checks on a response.
    package enum Verdict: String, CaseIterable, Sendable {
        /// Every check passed.
        case verified
        /// Every check passed, and a test issuer signed a document, which therefore proves nothing.
        case mock
        /// A check failed, or could not be made.
        case rejected
        /// The bytes do not decode as the expected message.
        case malformed
        /// There is no response to judge.
        case incomplete
    }

    /// The duration of one phase of the transaction.
    package struct Phase: Sendable {
        package let name: String
        package let duration: Duration

        package init(name: String, duration: Duration) {
            self.name = name
            self.duration = duration
        }
    }

    /// The maximum number of absent documents and elements that are listed. A hostile phone may report a
    /// hundred thousand.
    private static let mostNotReturned = 200

    package let verdict: Verdict
    /// The outcome of a presentation in which no answer was judged; `nil` if the outcome follows from the
    /// answer or from `errors`.
    package let unjudged: Outcome?
    package private(set) var documents: [DocumentOutcome]
    package private(set) var errors: [TransactionError]
    /// Whether the answer was compared with the request.
    package let requestCompared: Bool
    /// The requirements on the answer in addition to its checks.
    private let expectation: AnswerExpectation
    /// The trust and the policy with which the answer was judged; `nil` if there was nothing to judge.
    package let basis: VerificationBasis?
    /// The request of this transaction; `nil` for an answer that was read from a file or came through an app
    /// or a web page.
    package var asked: AskedRequest?
    /// The way in which the phone was met; `nil` if no phone was engaged, or the answer did not come from a phone at
    /// this reader.
    package var engagementKind: EngagementKind?
    package var phases: [Phase] = []
    /// The remarks on the phone's messages, which do not change the verdict.
    package var notes: [PresentationNote] = []

    /// Creates the report on a judged response.
    ///
    /// - Parameter expectation: the requirements on the answer in addition to its checks.
    package init(_ judgement: Judgement, expecting expectation: AnswerExpectation, requestCompared: Bool) {
        let basis = judgement.basis
        switch judgement {
        // Every check passed, but a test document proves nothing: `verified: nil` withholds its elements.
        case .verified(let response) where !basis.policy.accepts(response):
            self.init(
                .mock,
                documents: response.reports.map {
                    DocumentOutcome($0, verified: nil, expecting: expectation)
                },
                failures: [TransactionError(.documentTest, Self.testDocumentDetail)],
                notReturned: response.notReturned, expecting: expectation, requestCompared: requestCompared,
                basis: basis)
        case .verified(let response):
            self.init(
                basis.policy.hasTestDocument(response.reports) ? .mock : .verified,
                documents: response.outcomes(expecting: expectation), notReturned: response.notReturned,
                expecting: expectation, requestCompared: requestCompared,
                basis: basis)
        case .rejected(let response):
            self.init(
                rejecting: response.reports,
                for: response.failures.map { TransactionError($0, status: response.status) },
                notReturned: response.notReturned, expecting: expectation, requestCompared: requestCompared,
                basis: basis)
        }
    }

    private static let testDocumentDetail =
        "a test issuer signed the document, which proves nothing: for a trial, set acceptTestDocuments in the configuration"

    /// Whether a document comes from a test issuer or states that it is a test document, even if its checks
    /// failed.
    package var hasTestDocument: Bool {
        basis.map { $0.policy.hasTestDocument(documents.map(\.report)) } ?? false
    }

    /// Whether the answers and elements may be used. This is the case if the response is verified, or the
    /// policy accepts its test documents.
    package var isAccepted: Bool {
        switch verdict {
        case .verified: true
        case .mock: basis?.policy.acceptsTestDocuments ?? false
        case .rejected, .malformed, .incomplete: false
        }
    }

    /// Creates the report on a rejected response.
    init(
        rejecting reports: [DocumentReport], for failures: [TransactionError], notReturned: [NotReturned],
        expecting expectation: AnswerExpectation, requestCompared: Bool, basis: VerificationBasis
    ) {
        self.init(
            .rejected, documents: reports.map { DocumentOutcome($0, verified: nil, expecting: expectation) },
            failures: failures,
            notReturned: notReturned, expecting: expectation, requestCompared: requestCompared, basis: basis)
    }

    /// Creates the report on a transaction without a judged answer.
    ///
    /// - Parameter unjudged: the outcome; `nil` if the outcome follows from the error.
    private init(_ verdict: Verdict, unjudged: Outcome?, because error: TransactionError) {
        self.init(
            verdict, documents: [], failures: [error], notReturned: [], expecting: .nothing,
            requestCompared: false, basis: nil,
            unjudged: unjudged)
    }

    private init(
        _ verdict: Verdict, documents: [DocumentOutcome], failures: [TransactionError] = [],
        notReturned: [NotReturned], expecting expectation: AnswerExpectation, requestCompared: Bool,
        basis: VerificationBasis?, unjudged: Outcome? = nil
    ) {
        self.verdict = verdict
        self.unjudged = unjudged
        self.documents = documents
        errors = failures + notReturned.prefix(Self.mostNotReturned).map { TransactionError($0) }
        self.requestCompared = requestCompared
        self.expectation = expectation
        self.basis = basis
    }

    private var docTypes: Set<String> { Set(documents.map(\.report.docType)) }

    /// The questions about the documents that were returned or are needed.
    package var questions: [Question] { expectation.questions(where: docTypes) }

    /// The needed elements that were requested and were not returned, each once. If a needed document was not
    /// returned, all elements that were requested of this document are included.
    package var missing: [MissingElement] {
        // If the response is not accepted, its checks give the reasons, and no document counts as absent.
        let absent = isAccepted ? expectation.missing(where: docTypes) : []
        return (documents.flatMap(\.missing) + absent).reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// The required elements of all documents whose values cannot be used.
    package var unusable: [UnusableElement] {
        documents.flatMap(\.unusable).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Whether a needed document was not returned, or a verified document lacks a needed element or has no
    /// elements.
    package var isIncomplete: Bool {
        documents.contains(where: \.isIncomplete)
            || isAccepted && expectation.lacksDocument(where: docTypes)
    }

    /// Returns the answer to a question: no if the answer of any returned document is no, yes if the answer
    /// of every returned document is yes, and unknown otherwise.
    package func answer(to question: Question) -> Answer {
        let answers = documents.filter { question.docTypes.contains($0.report.docType) }
            .map { outcome in outcome.answers.first { $0.subject == question.subject }?.answer.word }
        if answers.contains(.no) { return .no }
        // Without any document, `allSatisfy` would be true.
        return !answers.isEmpty && answers.allSatisfy { $0 == .yes } ? .yes : .unknown
    }

    /// Returns the answer to the question about this subject; unknown if the question was not asked or no
    /// document answered.
    package func answer(about subject: Question.Subject) -> Answer {
        questions.first { $0.subject == subject }.map { answer(to: $0) } ?? .unknown
    }

    /// Adds advice to the errors of these causes.
    mutating func advise(_ advice: String, about causes: Set<TransactionError.Cause>) {
        errors = errors.map { causes.contains($0.cause) ? $0.adding(advice) : $0 }
    }

    /// Removes the element values of all documents, and the reasons of their answers.
    mutating func removeElements() {
        for index in documents.indices { documents[index].removeElements() }
    }

    /// Refuses the portraits of all documents. Afterwards no question about a portrait has the answer yes.
    package mutating func refusePortraits(for fault: PortraitFault) {
        for index in documents.indices { refusePortrait(ofDocument: index, for: fault) }
    }

    /// Refuses the portrait of one document. Afterwards the document's question about the portrait does not
    /// have the answer yes.
    mutating func refusePortrait(ofDocument index: Int, for fault: PortraitFault) {
        documents[index].refusePortrait(for: fault, expecting: expectation)
    }

    /// Whether a portrait was requested of documents of this type.
    func asksPortrait(of docType: String) -> Bool { expectation.asksPortrait(of: docType) }

    /// Returns the report for a message that is rejected without being judged, for example because its
    /// decryption failed.
    package static func rejected(_ error: TransactionError) -> TransactionReport {
        // Without `unjudged`, the error counts as a failed check, and the outcome is `deny`.
        .init(.rejected, unjudged: nil, because: error)
    }

    /// Returns the report for bytes that do not decode. Such bytes are not judged.
    package static func malformed(_ error: TransactionError) -> TransactionReport {
        .init(.malformed, unjudged: .failed, because: error)
    }

    /// Returns the report for a transaction without an answer to judge.
    package static func incomplete(
        _ error: TransactionError, _ outcome: Outcome = .failed
    ) -> TransactionReport {
        .init(.incomplete, unjudged: outcome, because: error)
    }
}

/// A document of a response, with the parts of it that may be reported.
package struct DocumentOutcome: Sendable {
    package let report: DocumentReport
    /// The document with its elements. `nil` if the response is not verified, if it has a test document that
    /// is not accepted, or after the elements were removed.
    package private(set) var verified: VerifiedDocument?
    /// The questions that were asked about the document, each once, with the answer.
    package private(set) var answers: [(subject: Question.Subject, answer: ReasonedAnswer)]
    /// The needed elements that the document does not contain.
    package let missing: [MissingElement]
    /// The required elements whose values cannot be used.
    package private(set) var unusable: [UnusableElement]
    /// Whether the document lacks a needed element, or was returned without any requested element.
    package let isIncomplete: Bool

    package init(
        _ report: DocumentReport, verified: VerifiedDocument?, expecting expectation: AnswerExpectation
    ) {
        self.report = report
        self.verified = verified
        var answers: [(subject: Question.Subject, answer: ReasonedAnswer)] = []
        for question in expectation.questions where question.docTypes.contains(report.docType) {
            // Two questions about different sets of document types may have the same subject.
            guard !answers.contains(where: { $0.subject == question.subject }) else { continue }
            answers.append((question.subject, ReasonedAnswer(question, by: verified)))
        }
        self.answers = answers
        missing = verified.map { expectation.missing(from: $0, answers) } ?? []
        unusable = verified.map { expectation.unusable(in: $0, answers) } ?? []
        // If the request is not known, no element counts as missing, but a document without elements counts
        // as incomplete. If elements were returned and none can be used, `unusable` already gives the reason.
        isIncomplete = !missing.isEmpty || verified?.isEmpty == true && unusable.isEmpty
    }

    /// Refuses the portrait. An earlier answer `unknown` about the portrait keeps its reason.
    fileprivate mutating func refusePortrait(
        for fault: PortraitFault, expecting expectation: AnswerExpectation
    ) {
        answers = answers.map { subject, answer in
            guard subject == .portrait, answer.word == .yes else { return (subject, answer) }
            return (subject, ReasonedAnswer(.unknown, because: fault.explanation(of: "the portrait")))
        }
        // A document that is not verified has no element that could be unusable.
        guard let verified else { return }
        unusable = expectation.unusable(in: verified, answers, fault)
    }

    /// Removes the verified document with its elements, and the reasons of the answers, which may contain
    /// dates of the document. The answers stay.
    fileprivate mutating func removeElements() {
        verified = nil
        answers = answers.map { ($0.subject, ReasonedAnswer($0.answer.word, because: "")) }
    }
}

/// The request of a transaction, and who signed it.
package struct AskedRequest: Sendable {
    /// The plan of the request, with its intent and retention.
    package let plan: RequestPlan
    /// The request that was sent last; `nil` if no request was sent.
    package let sent: SessionRequest?

    package var json: JSONValue {
        [
            "intent": .string(plan.intent.description),
            "keep": JSONValue(plan.retention?.word),
            "docTypes": .array((sent?.documents ?? []).map { .string($0.docType) }),
            "identity": JSONValue(sent?.identity),
            "readerAuthentication": JSONValue(sent?.readerAuthentication.rawValue),
        ]
    }
}

extension VerifiedResponse {
    fileprivate func outcomes(expecting expectation: AnswerExpectation) -> [DocumentOutcome] {
        zip(reports, documents).map { DocumentOutcome($0, verified: $1, expecting: expectation) }
    }
}

extension RetentionChoice {
    package var word: String {
        switch self {
        case .none: "nothing"
        case .receipt: "receipt"
        case .ageAndIDNumber: "age+id-number"
        case .consented: "consented"
        }
    }
}
