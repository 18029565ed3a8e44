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
            ? asked.map(\.name).filter { !document.has($0) }
            : answers.filter { $0.answer.word == .cannotTell }
                .flatMap { $0.subject.elements(among: asked, of: document.docType) }
                .filter { !document.has($0) }
                + required(answers, of: document).filter { !document.has($0) }.map(\.name)
        return names.reduce(into: []) { missing, name in
            if !missing.contains(where: { $0.name == name }) { missing.append(MissingElement(name)) }
        }
    }

    /// The required elements that came with a value of another type than the data model's, where nothing usable came in their
    /// place; all such elements where nothing usable came. A question that they concern says so itself.
    func unusable(
        in document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: Answer)]
    ) -> [UnusableElement] {
        let needed =
            document.isEmpty
            ? elements.filter { $0.docType == document.docType } : required(answers, of: document)
        return needed.filter { document.has($0) && !document.hasUsable($0) }
            .compactMap { element in
                ([element.name] + element.alternatives.joined()).lazy.compactMap { name in
                    document.wrongType(of: name).map { UnusableElement(name: name, fault: .wrongType($0)) }
                }.first
            }
    }

    /// Whether a portrait was asked of documents of this type.
    func asksPortrait(of docType: String) -> Bool {
        questions.contains { $0.subject == .portrait && $0.docTypes.contains(docType) }
            || elements.contains { $0.docType == docType && $0.name.identifier == "portrait" }
    }

    /// The required portraits that came.
    func portraits(in document: VerifiedDocument) -> [ElementName] {
        elements.filter { $0.docType == document.docType && $0.isRequired }.map(\.name)
            .filter { $0.identifier == "portrait" && document.has($0) }
    }

    private func required(
        _ answers: [(subject: Question.Subject, answer: Answer)], of document: VerifiedDocument
    ) -> [AskedElement] {
        let asked = elements.filter { $0.docType == document.docType }
        let judged = answers.flatMap { $0.subject.elements(among: asked, of: document.docType) }
        return asked.filter { $0.isRequired && !judged.contains($0.name) }
    }
}

/// A required element whose value cannot be used. It names types and holds no value.
package struct UnusableElement: Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        case wrongType(WrongType)
        case portrait(PortraitFault)
    }

    package let name: ElementName
    package let fault: Fault

    /// The fault, for a person: such as the type found and the type expected.
    package var text: String {
        switch fault {
        case .wrongType(let wrong): wrong.explanation(of: name.text)
        case .portrait(let fault): fault.explanation(of: name.text)
        }
    }
}

extension VerifiedDocument {
    /// Whether the element came, or what may come in its place.
    fileprivate func has(_ element: AskedElement) -> Bool {
        has(element.name) || element.alternatives.contains { $0.allSatisfy { has($0) } }
    }

    /// Whether the element came with a value of its type, or what may come in its place did.
    fileprivate func hasUsable(_ element: AskedElement) -> Bool {
        hasUsable(element.name) || element.alternatives.contains { $0.allSatisfy { hasUsable($0) } }
    }

    private func hasUsable(_ name: ElementName) -> Bool { has(name) && wrongType(of: name) == nil }
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
    /// The questions and elements that an answer to this plan needs.
    ///
    /// - Parameter day: today, in the zone of the premises.
    package func expectation(on day: FullDate) -> AnswerExpectation {
        AnswerExpectation(questions(on: day), of: askedElements)
    }
}

extension AnswerExpectation {
    /// The questions and elements that an answer to these requests needs: each `age_over_NN` of each document is a question, and so is its
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

    /// Whether the answer has to say that the document is in date. Documents of types that are not known may have the date in
    /// any namespace.
    package var asksForExpiryDate: Bool {
        nameSpaces.contains { $0.elements.contains { $0.identifier == "expiry_date" } }
    }

    private func asksInMain(_ identifier: String) -> Bool {
        asks(for: identifier, in: ElementName.inMainNameSpace(identifier, of: docType).nameSpace)
    }
}
