package import JSON
internal import MdocModel
internal import MdocTrust
package import MdocVerification
package import ReaderService
package import ReaderStore
package import RequestPlanner

/// The result of a transaction, and everything that may be reported of it: the command line, the API, receipts and the
/// library read it, each in its form.
package struct TransactionReport: Sendable {
    package enum Verdict: String, CaseIterable, Sendable {
        /// Every check passed.
        case verified
        /// Every check passed, and a test issuer signed a document: it proves nothing.
        case mock
        /// A check failed, or could not be made.
        case rejected
        /// The bytes are not the message they should be.
        case malformed
        /// There is no response to judge.
        case incomplete
    }

    /// How long a part took.
    package struct Phase: Sendable {
        package let name: String
        package let duration: Duration

        package init(name: String, duration: Duration) {
            self.name = name
            self.duration = duration
        }
    }

    /// How much that did not come is listed: a hostile phone may name a hundred thousand things.
    private static let mostNotReturned = 200

    package let verdict: Verdict
    /// The outcome of a presentation in which no answer was judged; nil if one was, and the outcome follows from that.
    package let unjudged: Outcome?
    package private(set) var documents: [DocumentOutcome]
    package private(set) var errors: [TransactionError]
    /// Whether what came was compared with what was asked for.
    package let requestCompared: Bool
    /// The expectation that a yes meets.
    private let expectation: AnswerExpectation
    /// Nil if there was nothing to judge.
    package let basis: VerificationBasis?
    /// What was asked, where that was done just now.
    package var asked: AskedRequest?
    package var phases: [Phase] = []
    /// What is remarkable in the phone's messages, and changes nothing of the verdict.
    package var notes: [PresentationNote] = []

    /// The report on a judged response.
    ///
    /// - Parameter expectation: what the outcome and the exit code depend on, beside the checks.
    package init(_ judgement: Judgement, expecting expectation: AnswerExpectation, requestCompared: Bool) {
        let basis = judgement.basis
        switch judgement {
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
        "a test issuer signed the document, which proves nothing: for a trial set acceptTestDocuments in the configuration"

    /// Whether a document is a test issuer's, or says so, whatever its checks say.
    package var hasTestDocument: Bool {
        basis.map { $0.policy.hasTestDocument(documents.map(\.report)) } ?? false
    }

    /// Whether its answers and elements may be used: it is verified, or a test document that the policy accepts.
    package var isAccepted: Bool {
        switch verdict {
        case .verified: true
        case .mock: basis?.policy.acceptsTestDocuments ?? false
        case .rejected, .malformed, .incomplete: false
        }
    }

    /// The report on checks of a response that is not to be relied on.
    init(
        rejecting reports: [DocumentReport], for failures: [TransactionError], notReturned: [NotReturned],
        expecting expectation: AnswerExpectation, requestCompared: Bool, basis: VerificationBasis
    ) {
        self.init(
            .rejected, documents: reports.map { DocumentOutcome($0, verified: nil, expecting: expectation) },
            failures: failures,
            notReturned: notReturned, expecting: expectation, requestCompared: requestCompared, basis: basis)
    }

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

    /// The questions about documents that came or are needed.
    package var questions: [Question] { expectation.questions(where: docTypes) }

    /// The needed elements that were asked for and did not come, of any of the documents.
    package var missing: [MissingElement] {
        let absent = isAccepted ? expectation.missing(where: docTypes) : []
        return (documents.flatMap(\.missing) + absent).reduce(into: []) {
            if !$0.contains($1) { $0.append($1) }
        }
    }

    /// The required elements whose values are of no use, of any of the documents.
    package var unusable: [UnusableElement] {
        documents.flatMap(\.unusable).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Whether a needed document did not come, or one that is verified lacks an element that it needs, or has none at all.
    package var isIncomplete: Bool {
        documents.contains(where: \.isIncomplete)
            || isAccepted && expectation.lacksDocument(where: docTypes)
    }

    /// Yes where each document that came says yes, no where one says no.
    package func answer(to question: Question) -> Answer {
        let answers = documents.filter { question.docTypes.contains($0.report.docType) }
            .map { outcome in outcome.answers.first { $0.subject == question.subject }?.answer.word }
        if answers.contains(.no) { return .no }
        return !answers.isEmpty && answers.allSatisfy { $0 == .yes } ? .yes : .unknown
    }

    /// The answer to the question of this subject; unknown if that was not asked or no document answered.
    package func answer(about subject: Question.Subject) -> Answer {
        questions.first { $0.subject == subject }.map { answer(to: $0) } ?? .unknown
    }

    /// Adds a remedy to the errors of these causes.
    mutating func advise(_ advice: String, about causes: Set<TransactionError.Cause>) {
        errors = errors.map { causes.contains($0.cause) ? $0.adding(advice) : $0 }
    }

    mutating func removeElements() {
        for index in documents.indices { documents[index].removeElements() }
    }

    /// Makes the portraits no answer.
    package mutating func refusePortraits(for fault: PortraitFault) {
        for index in documents.indices { refusePortrait(ofDocument: index, for: fault) }
    }

    /// Makes the portrait of one document no answer.
    mutating func refusePortrait(ofDocument index: Int, for fault: PortraitFault) {
        documents[index].refusePortrait(for: fault, expecting: expectation)
    }

    /// Whether a portrait was asked of documents of this type.
    func asksPortrait(of docType: String) -> Bool { expectation.asksPortrait(of: docType) }

    /// Nothing could be judged, because a message does not authenticate.
    package static func rejected(_ error: TransactionError) -> TransactionReport {
        .init(.rejected, unjudged: nil, because: error)
    }

    /// Nothing could be judged, because bytes do not decode.
    package static func malformed(_ error: TransactionError) -> TransactionReport {
        .init(.malformed, unjudged: .failed, because: error)
    }

    /// Nothing came that could be judged.
    package static func incomplete(
        _ error: TransactionError, _ outcome: Outcome = .failed
    ) -> TransactionReport {
        .init(.incomplete, unjudged: outcome, because: error)
    }
}

/// One document of a response, as far as it may be shown.
package struct DocumentOutcome: Sendable {
    package let report: DocumentReport
    /// The document itself, with its elements: there only when the whole response is verified, until it is removed.
    package private(set) var verified: VerifiedDocument?
    /// What was asked of it, each once, with its answer.
    package private(set) var answers: [(subject: Question.Subject, answer: ReasonedAnswer)]
    /// The elements that the document needs and lacks.
    package let missing: [MissingElement]
    /// The required elements whose values are of no use.
    package private(set) var unusable: [UnusableElement]
    /// Whether it lacks something, or nothing came of what was asked for.
    package let isIncomplete: Bool

    package init(
        _ report: DocumentReport, verified: VerifiedDocument?, expecting expectation: AnswerExpectation
    ) {
        self.report = report
        self.verified = verified
        var answers: [(subject: Question.Subject, answer: ReasonedAnswer)] = []
        for question in expectation.questions where question.docTypes.contains(report.docType) {
            guard !answers.contains(where: { $0.subject == question.subject }) else { continue }
            answers.append((question.subject, ReasonedAnswer(question, by: verified)))
        }
        self.answers = answers
        missing = verified.map { expectation.missing(from: $0, answers) } ?? []
        unusable = verified.map { expectation.unusable(in: $0, answers) } ?? []
        isIncomplete = !missing.isEmpty || verified?.isEmpty == true && unusable.isEmpty
    }

    /// A portrait that answers nothing already keeps its reason.
    fileprivate mutating func refusePortrait(
        for fault: PortraitFault, expecting expectation: AnswerExpectation
    ) {
        answers = answers.map { subject, answer in
            guard subject == .portrait, answer.word == .yes else { return (subject, answer) }
            return (subject, ReasonedAnswer(.unknown, because: fault.explanation(of: "the portrait")))
        }
        guard let verified else { return }
        unusable = expectation.unusable(in: verified, answers, fault)
    }

    /// Removes the document, and the reasons of its answers, which may have dates of it. The answers stay.
    fileprivate mutating func removeElements() {
        verified = nil
        answers = answers.map { ($0.subject, ReasonedAnswer($0.answer.word, because: "")) }
    }
}

/// What a transaction asked, and in whose name.
package struct AskedRequest: Sendable {
    /// What was wanted to be known, and what is kept of it.
    package let plan: RequestPlan
    /// The request that went out last; nil if none did.
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
