package import MdocModel
package import MdocVerification
internal import ReaderStore
package import RequestPlanner

extension RequestPlan {
    /// The questions and elements that an answer to this plan needs. Each question may be answered by any of the documents that were
    /// asked for.
    ///
    /// - Parameter day: today, in the zone of the premises.
    package func expectation(on day: FullDate) -> AnswerExpectation {
        let docTypes = Set(intent.documents.flatMap(\.types).map(\.docType))
        return AnswerExpectation(
            subjects.map { Question(docTypes: docTypes, $0, on: day) }, of: askedElements)
    }

    /// The subjects of the questions, whoever answers and when.
    package var subjects: [Question.Subject] {
        let vehicles =
            categories.map(DrivingClass.category) + domesticClasses.map(DrivingClass.domesticClass)
        return Set(ages).sorted().map { Question.Subject.ageOver($0, by: intent.ageFallback.evidence) }
            + vehicles.map(Question.Subject.drive) + (asksInDate ? [.inDate] : [])
            + (needsPortrait ? [.portrait] : [])
    }

    /// Whether the answer has to say that the document is in date. Whether somebody may drive says it already.
    private var asksInDate: Bool {
        categories.isEmpty && domesticClasses.isEmpty && allRequests.contains(where: \.asksForExpiryDate)
    }
}

extension RequestPlan {
    /// Whether the response, taken by itself, has the outcome `allow`.
    package func isAnsweredYes(by response: VerifiedResponse, on day: FullDate) -> Bool {
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
