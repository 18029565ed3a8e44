package import MdocModel
package import MdocVerification
internal import ReaderStore
package import RequestPlanner

extension RequestPlan {
    /// Returns the requirements on an answer to this plan. Any of the requested documents may answer each
    /// question.
    package func expectation(on day: FullDate) -> AnswerExpectation {
        let docTypes = Set(intent.documents.flatMap(\.types).map(\.docType))
        return AnswerExpectation(
            subjects.map { Question(docTypes: docTypes, $0, on: day) }, of: askedElements)
    }

    /// The subjects of the plan's questions. A `Question` adds the document types and the day to a subject.
    package var subjects: [Question.Subject] {
        let vehicles =
            categories.map(DrivingClass.category) + domesticClasses.map(DrivingClass.domesticClass)
        return Set(ages).sorted().map { Question.Subject.ageOver($0, by: intent.ageFallback.evidence) }
            + vehicles.map(Question.Subject.drive) + (asksInDate ? [.inDate] : [])
            + (needsPortrait ? [.portrait] : [])
    }

    /// Whether the plan asks whether the document is in date. A question about driving includes this
    /// question, because a document that has expired permits no driving.
    private var asksInDate: Bool {
        categories.isEmpty && domesticClasses.isEmpty && allRequests.contains(where: \.asksForExpiryDate)
    }
}

extension RequestPlan {
    /// Whether this response leads to the outcome `allow` without a person's decision.
    package func isAnsweredYes(by response: VerifiedResponse, on day: FullDate) -> Bool {
        // `requestCompared` has no influence on the outcome.
        TransactionReport(.verified(response), expecting: expectation(on: day), requestCompared: true)
            .conclusion.outcome == .allow
    }
}

extension RequestIntent.AgeFallback {
    fileprivate var evidence: AgeEvidence {
        switch self {
        case .nothing: .attestation
        case .ageInYears: .ageInYears
        case .birthDate: .birthDate
        }
    }
}
