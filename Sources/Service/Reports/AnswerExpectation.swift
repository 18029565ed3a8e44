package import MdocModel
package import MdocVerification
package import RequestPlanner
package import JSON

/// All that an answer needs besides passing its checks: the needed documents, a yes to each question, and the required
/// elements.
///
/// It is made of a plan, or of requests whose plan is not known, and is compared with each verified document of its
/// types. Whatever comes is compared; of alternatives, those that did not come are not missed. It never improves an
/// answer by what is missing: whatever could refute and was asked for has to come.
package struct AnswerExpectation: Sendable {
    package let questions: [Question]
    private let elements: [AskedElement]
    private let needs: DocumentNeeds

    /// Nothing is known of what was asked: only a document without any element is incomplete.
    package static let nothing = AnswerExpectation([], of: [])

    /// Where any of the documents is enough.
    package init(_ questions: [Question], of elements: [AskedElement]) {
        let docTypes = elements.reduce(into: [String]()) {
            if !$0.contains($1.docType) { $0.append($1.docType) }
        }
        self.init(questions, of: elements, needing: DocumentNeeds(anyOf: docTypes))
    }

    private init(_ questions: [Question], of elements: [AskedElement], needing needs: DocumentNeeds) {
        self.questions = questions
        self.elements = elements
        self.needs = needs
    }

    /// The questions about documents that came or are needed.
    ///
    /// - Parameter came: the types of the documents that came.
    func questions(where came: Set<String>) -> [Question] {
        let docTypes = came.union(needs.absent(from: came))
        return questions.filter { !$0.docTypes.isDisjoint(with: docTypes) }
    }

    /// Whether a document that is needed did not come.
    func lacksDocument(where came: Set<String>) -> Bool { !needs.absent(from: came).isEmpty }

    /// All that was asked of the documents that are needed and did not come.
    func missing(where came: Set<String>) -> [MissingElement] {
        let absent = needs.absent(from: came)
        return elements.filter { absent.contains($0.docType) }.map { MissingElement($0.name) }
    }

    /// The elements of a document that came without them: those of its questions without an answer, and the required
    /// ones that no question judges. All that was asked for if none of it came.
    func missing(
        from document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: ReasonedAnswer)]
    ) -> [MissingElement] {
        let asked = elements(of: document)
        let names =
            document.isEmpty
            ? asked.map(\.name).filter { !document.has($0) }
            : answers.filter { $0.answer.word == .unknown }
                .flatMap { $0.subject.elements(among: asked, of: document.docType) }
                .filter { !document.has($0) }
                + required(answers, of: document).filter { !document.has($0) }.map(\.name)
        return names.reduce(into: []) { missing, name in
            if !missing.contains(where: { $0.name == name }) { missing.append(MissingElement(name)) }
        }
    }

    /// The required elements that came with a value of no use, where nothing usable came in their place; all such elements where
    /// nothing usable came. A question that they concern says so itself.
    ///
    /// - Parameter portraitFault: the fault of the document's portrait; nil if it decodes, or was not decoded yet.
    func unusable(
        in document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: ReasonedAnswer)],
        _ portraitFault: PortraitFault? = nil
    ) -> [UnusableElement] {
        let fault = { document.fault(of: $0, portraitFault) }
        let isEmpty = !document.elements.contains { $0.signedBy == .issuer && fault($0.name) == nil }
        let isJudged = portraitFault != nil && answers.contains { $0.subject == .portrait }
        let needed =
            document.isEmpty || isEmpty && !isJudged
            ? elements(of: document) : required(answers, of: document)
        return needed.compactMap { element in
            let came = element.choices.filter { $0.allSatisfy { document.has($0) } }
            guard !came.contains(where: { $0.allSatisfy { fault($0) == nil } }) else { return nil }
            return came.joined().lazy.compactMap { name in
                fault(name).map { UnusableElement(name: name, fault: $0) }
            }.first
        }
    }

    /// Whether a portrait was asked of documents of this type, or may come in the place of what was.
    func asksPortrait(of docType: String) -> Bool {
        questions.contains { $0.subject == .portrait && $0.docTypes.contains(docType) }
            || elements.contains { element in
                element.docType == docType
                    && element.choices.joined().contains { $0.identifier == "portrait" }
            }
    }

    private func required(
        _ answers: [(subject: Question.Subject, answer: ReasonedAnswer)], of document: VerifiedDocument
    ) -> [AskedElement] {
        let asked = elements(of: document)
        let judged = answers.flatMap { $0.subject.elements(among: asked, of: document.docType) }
        return asked.filter { $0.isRequired && !judged.contains($0.name) }
    }

    private func elements(of document: VerifiedDocument) -> [AskedElement] {
        elements.filter { $0.docType == document.docType }
    }
}

/// A required element whose value cannot be used. It names types and holds no value.
package struct UnusableElement: Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        case wrongType(WrongType)
        /// The value is of its type, and tells no age.
        case age(AgeAnswer.AgeUnknown)
        case portrait(PortraitFault)
    }

    package let name: ElementName
    package let fault: Fault

    /// The fault, for a person: such as the type found and the type expected.
    package var text: String {
        switch fault {
        case .wrongType(let wrong): wrong.explanation(of: name.text)
        case .age(let unknown): AgeAnswer.cannotTell(unknown).reason
        case .portrait(let fault): fault.explanation(of: name.text)
        }
    }
}

extension VerifiedDocument {
    /// Whether the element came, or what may come in its place.
    fileprivate func has(_ element: AskedElement) -> Bool {
        element.choices.contains { $0.allSatisfy { has($0) } }
    }

    /// Why the value of this element is of no use; nil if it is usable, or did not come.
    ///
    /// - Parameter portraitFault: the fault of the document's portrait.
    fileprivate func fault(
        of name: ElementName, _ portraitFault: PortraitFault?
    ) -> UnusableElement.Fault? {
        if let wrong = wrongType(of: name) { return .wrongType(wrong) }
        // A birth date that is known approximately is what the issuer knows of the holder.
        if let unknown = ageFault(of: name), case .implausible = unknown { return .age(unknown) }
        return name.identifier == "portrait" ? portraitFault.map { .portrait($0) } : nil
    }
}

extension AskedElement {
    /// The element itself, and each set that may come in its place.
    fileprivate var choices: [[ElementName]] { [[name]] + alternatives }
}

extension Question.Subject {
    /// The elements that its answer needs, among those that were asked of a document.
    fileprivate func elements(among asked: [AskedElement], of docType: String) -> [ElementName] {
        switch self {
        case .ageOver(let years, _):
            let identifier = AgeAttestation(years: years)?.identifier ?? "age_in_years"
            return asked.map(\.name).filter { $0.identifier == identifier }
        case .drive(let vehicle): return [vehicle.element, .inMainNameSpace("expiry_date", of: docType)]
        case .inDate: return [.inMainNameSpace("expiry_date", of: docType)]
        case .portrait: return asked.map(\.name).filter { $0.identifier == "portrait" }
        }
    }
}

extension AnswerExpectation {
    /// The needs of an answer to these requests: each `age_over_NN` of each document is a question, and so is its `expiry_date`.
    ///
    /// - Parameters:
    ///   - useCases: the use cases of the request, by the places of its documents.
    ///   - day: today, in the zone of the premises.
    package init(
        of requests: [ItemsRequest], _ useCases: [DeviceRequestInfo.UseCase] = [], on day: FullDate
    ) {
        let needs = DocumentNeeds(of: requests.map(\.docType), useCases)
        var questions: [Question] = []
        for group in needs.groups {
            for question in Self.questions(about: group, in: requests, on: day)
            where !questions.contains(question) {
                questions.append(question)
            }
        }
        self.init(questions, of: requests.flatMap { $0.askedElements() }, needing: needs)
    }

    /// The questions of the requests for documents of these types, each for all types that are asked it.
    private static func questions(
        about docTypes: [String], in requests: [ItemsRequest], on day: FullDate
    ) -> [Question] {
        var questions: [(subject: Question.Subject, docTypes: Set<String>)] = []
        for request in requests where docTypes.contains(request.docType) {
            for subject in request.subjects {
                if let index = questions.firstIndex(where: { $0.subject == subject }) {
                    questions[index].docTypes.insert(request.docType)
                } else {
                    questions.append((subject, [request.docType]))
                }
            }
        }
        return questions.map { Question(docTypes: $0.docTypes, $0.subject, on: day) }
    }
}

extension ItemsRequest {
    fileprivate var subjects: [Question.Subject] {
        agesAsked.map { .ageOver($0, by: ageEvidence) } + (asksForExpiryDate ? [.inDate] : [])
    }

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

/// An element that was asked for, is needed, and did not come. It holds no value, so that everybody may read it.
package struct MissingElement: Hashable, Sendable {
    package let name: ElementName

    init(_ name: ElementName) {
        self.name = name
    }

    private static let words: [String: String] = [
        "age_in_years": "age in years", "birth_date": "date of birth", "document_number": "document number",
        "expiry_date": "expiry date", "family_name": "family name", "given_name": "given name",
        "issue_date": "issue date", "issuing_authority": "issuing authority",
        "issuing_country": "issuing country", "nationality": "nationality", "portrait": "portrait",
        "resident_address": "address",
    ]

    /// The missing element and the remedy, for a person.
    package var text: String {
        if let age = AgeAttestation(name.identifier) {
            return "No proof of being over \(age.years) was shared. Ask again and share it."
        }
        if name.identifier.hasSuffix("driving_privileges") {
            return "The driving privileges were not shared. Ask again and share them."
        }
        return
            "The \(Self.words[name.identifier] ?? "element \(name.text)") was not shared. Ask again and share it."
    }

    package var json: JSONValue { ["element": .string(name.text), "text": .string(text)] }
}
