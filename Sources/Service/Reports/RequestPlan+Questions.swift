package import MdocModel
package import MdocVerification
package import RequestPlanner

extension RequestPlan {
    /// What has to be answered, each by any of the documents that were asked for.
    package func questions(on day: FullDate) -> [Question] {
        let docTypes = Set(intent.documents.flatMap(\.types).map(\.docType))
        return subjects.map { Question(docTypes: docTypes, $0, on: day) }
    }

    /// The same, whoever answers and when.
    package var subjects: [Question.Subject] {
        let vehicles =
            categories.map(DrivingClass.category) + domesticClasses.map(DrivingClass.domesticClass)
        return Set(ages).sorted().map { Question.Subject.ageOver($0, by: intent.ageFallback.evidence) }
            + vehicles.map(Question.Subject.drive) + (needsPortrait ? [.portrait] : [])
    }
}

extension RequestPlan {
    /// Whether each question has a yes, of every document that it concerns.
    package func isAnsweredYes(by response: VerifiedResponse, on day: FullDate) -> Bool {
        questions(on: day).allSatisfy { question in
            let asked = response.documents.filter { question.docTypes.contains($0.docType) }
            return !asked.isEmpty && asked.allSatisfy { Answer(question, by: $0).word == .yes }
        }
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
