package import MdocModel
package import MdocVerification
package import RequestPlanner

/// All that an answer needs besides passing its checks: a yes to each question, and the required elements.
///
/// It is made of a plan, or of requests whose plan is not known, and is compared with each verified document of its
/// types. Where several types are alternatives, only the documents that came are compared. It never improves an answer
/// by what is missing: whatever could refute and was asked for has to come.
package struct AnswerExpectation: Sendable {
    package let questions: [Question]
    private let elements: [AskedElement]

    /// Nothing is known of what was asked: only a document without any element is incomplete.
    package static let nothing = AnswerExpectation([], of: [])

    package init(_ questions: [Question], of elements: [AskedElement]) {
        self.questions = questions
        self.elements = elements
    }

    /// The elements of a document that came without them: those of its questions without an answer, and the required
    /// ones that no question judges. All that was asked for if none of it came.
    func missing(
        from document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: Answer)]
    ) -> [MissingElement] {
        let asked = elements.filter { $0.docType == document.docType }
        let names =
            document.isEmpty
            ? asked.map(\.name)
            : answers.filter { $0.answer.word == .cannotTell }
                .flatMap { $0.subject.elements(among: asked, of: document.docType) }
                .filter { !document.has($0) } + required(asked, answers, document)
        return names.reduce(into: []) { missing, name in
            if !missing.contains(where: { $0.name == name }) { missing.append(MissingElement(name)) }
        }
    }

    private func required(
        _ asked: [AskedElement], _ answers: [(subject: Question.Subject, answer: Answer)],
        _ document: VerifiedDocument
    ) -> [ElementName] {
        let judged = answers.flatMap { $0.subject.elements(among: asked, of: document.docType) }
        return asked.filter { $0.isRequired && !judged.contains($0.name) && !document.has($0) }.map(\.name)
    }
}

extension VerifiedDocument {
    /// Whether the element came, or what may come in its place.
    fileprivate func has(_ element: AskedElement) -> Bool {
        has(element.name) || element.alternatives.contains { $0.allSatisfy { has($0) } }
    }
}

extension Question.Subject {
    /// The elements that its answer needs, among those that were asked of a document.
    fileprivate func elements(among asked: [AskedElement], of docType: String) -> [ElementName] {
        switch self {
        case .ageOver(let years, _):
            let identifier = AgeAttestation(years: years)?.identifier ?? "age_in_years"
            return [.inMainNameSpace(identifier, of: docType)]
        case .drive(let vehicle): return [vehicle.element, .inMainNameSpace("expiry_date", of: docType)]
        case .inDate: return [.inMainNameSpace("expiry_date", of: docType)]
        case .portrait: return asked.map(\.name).filter { $0.identifier == "portrait" }
        }
    }
}

extension RequestPlan {
    /// What an answer to this plan needs.
    ///
    /// - Parameter day: today, in the zone of the premises.
    package func expectation(on day: FullDate) -> AnswerExpectation {
        AnswerExpectation(questions(on: day), of: askedElements)
    }
}

extension AnswerExpectation {
    /// What an answer to these requests needs: each `age_over_NN` of each document is a question, and so is its
    /// `expiry_date`.
    ///
    /// - Parameters:
    ///   - areAlternatives: whether any of the documents is enough. The types of one family always are alternatives.
    ///   - day: today, in the zone of the premises.
    package init(of requests: [ItemsRequest], areAlternatives: Bool = false, on day: FullDate) {
        var questions: [(family: String?, subject: Question.Subject, docTypes: Set<String>)] = []
        for request in requests {
            let family =
                areAlternatives ? nil : DocumentFamily.word(of: request.docType) ?? request.docType
            let ages = request.agesAsked.map { Question.Subject.ageOver($0, by: request.ageEvidence) }
            for subject in ages + (request.asksForExpiryDate ? [.inDate] : []) {
                if let index = questions.firstIndex(where: { $0.family == family && $0.subject == subject }) {
                    questions[index].docTypes.insert(request.docType)
                } else {
                    questions.append((family, subject, [request.docType]))
                }
            }
        }
        self.init(
            questions.map { Question(docTypes: $0.docTypes, $0.subject, on: day) },
            of: requests.flatMap { $0.askedElements() })
    }
}

extension ItemsRequest {
    /// The evidence of an age that the request accepts, since it asks for it.
    package var ageEvidence: AgeEvidence {
        if asksInMain("birth_date") { return .birthDate }
        return asksInMain("age_in_years") ? .ageInYears : .attestation
    }

    /// Whether the answer has to say that the document is in date.
    package var asksForExpiryDate: Bool { asksInMain("expiry_date") }

    private func asksInMain(_ identifier: String) -> Bool {
        asks(for: identifier, in: ElementName.inMainNameSpace(identifier, of: docType).nameSpace)
    }
}
