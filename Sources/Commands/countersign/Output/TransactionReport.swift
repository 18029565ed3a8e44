internal import MdocTrust
internal import MdocVerification

/// What a transaction came to, in the form every command reports it: as JSON, as text and as exit code.
struct TransactionReport: Sendable {
    enum Verdict: String, CaseIterable, Sendable {
        /// Every check passed.
        case verified
        /// A check failed, or could not be made.
        case rejected
        /// The bytes are not the message they should be.
        case malformed
        /// There is no response to judge.
        case incomplete
    }

    /// How long a part took.
    struct Phase: Sendable {
        let name: String
        let duration: Duration
    }

    /// By what a response was judged.
    struct Basis: Sendable {
        let trustSnapshot: TrustSnapshot.ID
        let policy: RevocationPolicy
        /// The seconds by which clocks were excused.
        let clockSkew: Int64
    }

    /// How much that did not come is listed: a hostile phone may name a hundred thousand things.
    private static let mostNotReturned = 200

    let verdict: Verdict
    let documents: [DocumentOutcome]
    let errors: [TransactionError]
    /// Whether what came was compared with what was asked for.
    let requestCompared: Bool
    let questions: [AgeQuestion]
    /// Nil where there was nothing to judge.
    let basis: Basis?
    var phases: [Phase] = []

    /// The report on a judged response; `questions` are those the exit code answers.
    init(_ verdict: ResponseVerdict, questions: [AgeQuestion], requestCompared: Bool) {
        self.questions = questions
        self.requestCompared = requestCompared
        let failures: [ResponseFailure]
        let notReturned: [NotReturned]
        switch verdict {
        case .verified(let response):
            self.verdict = .verified
            documents = zip(response.reports, response.documents).map { report, document in
                DocumentOutcome(report, verified: document, questions: questions)
            }
            (failures, notReturned) = ([], response.notReturned)
            basis = Basis(
                trustSnapshot: response.trustSnapshot, policy: response.policy, clockSkew: response.clockSkew)
        case .rejected(let response):
            self.verdict = .rejected
            documents = response.reports.map { DocumentOutcome($0, verified: nil, questions: questions) }
            (failures, notReturned) = (response.failures, response.notReturned)
            basis = Basis(
                trustSnapshot: response.trustSnapshot, policy: response.policy, clockSkew: response.clockSkew)
        }
        errors =
            failures.map { TransactionError($0) }
            + notReturned.prefix(Self.mostNotReturned).map { TransactionError($0) }
    }

    private init(_ verdict: Verdict, _ error: TransactionError) {
        self.verdict = verdict
        documents = []
        errors = [error]
        requestCompared = false
        questions = []
        basis = nil
    }

    /// Nothing could be judged, because a message does not authenticate.
    static func rejected(_ error: TransactionError) -> TransactionReport { .init(.rejected, error) }

    /// Nothing could be judged, because bytes do not decode.
    static func malformed(_ error: TransactionError) -> TransactionReport { .init(.malformed, error) }

    /// Nothing came that could be judged.
    static func incomplete(_ error: TransactionError) -> TransactionReport { .init(.incomplete, error) }

    var exitStatus: ExitStatus {
        switch verdict {
        case .verified: questions.allSatisfy(isAnsweredYes) ? .success : .answerNotYes
        case .rejected: .rejected
        case .malformed: .malformed
        case .incomplete: .incomplete
        }
    }

    /// Whether a document of the type came and each that came says yes.
    private func isAnsweredYes(_ question: AgeQuestion) -> Bool {
        let answers = documents.filter { $0.report.docType == question.docType }
            .map { $0.answer(toAtLeast: question.years) }
        return !answers.isEmpty && answers.allSatisfy { $0.word == "yes" }
    }
}

/// "At least so many years old?", asked of the documents of one type.
struct AgeQuestion: Hashable, Sendable {
    let docType: String
    let years: Int
}

/// One document of a response, as far as it may be shown.
struct DocumentOutcome: Sendable {
    let report: DocumentReport
    /// The document itself: there only when the whole response is verified.
    let verified: VerifiedDocument?
    /// The ages that were asked about, each once.
    let ages: [Int]

    init(_ report: DocumentReport, verified: VerifiedDocument?, questions: [AgeQuestion]) {
        self.report = report
        self.verified = verified
        var ages: [Int] = []
        for question in questions where question.docType == report.docType && !ages.contains(question.years) {
            ages.append(question.years)
        }
        self.ages = ages
    }

    /// The answer, or nil for a document that is not verified.
    func answer(toAtLeast years: Int) -> AgeAnswer? {
        verified?.isAgeAtLeast(years)
    }
}

extension AgeAnswer? {
    /// `yes`, `no` or `cannotTell`. What is not verified answers nothing.
    var word: String {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .cannotTell, nil: "cannotTell"
        }
    }
}
