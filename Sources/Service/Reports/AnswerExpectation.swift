package import MdocModel
package import MdocVerification
package import RequestPlanner
package import JSON

/// The requirements that an answer has to meet in addition to its checks: the needed documents came, the
/// answer to each question is yes, and the required elements came.
///
/// An expectation is made from a plan (`RequestPlan.expectation(on:)`), or from requests whose plan is not
/// known, as in `countersign verify`. A `TransactionReport` compares the expectation with each verified
/// document of a requested type.
///
/// - Every document that came is compared, whether it is needed or not.
/// - If one of several alternative documents came, the other documents are not missing.
/// - An absence never improves an answer. An element that could have refuted the answer, such as
///   `expiry_date`, has to come if it was requested.
///
/// The expectation contains no element value and reads no clock. The day of the questions is an argument.
package struct AnswerExpectation: Sendable {
    package let questions: [Question]
    private let elements: [AskedElement]
    private let needs: DocumentNeeds

    /// The expectation for an answer whose request is not known. Such an answer is incomplete only if one of
    /// its documents has no elements.
    package static let nothing = AnswerExpectation([], of: [])

    /// Creates an expectation that needs one document. The document may have any of the types for which
    /// `elements` contains an element.
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

    /// Returns the questions about documents that came or are needed.
    ///
    /// - Parameter came: the types of the documents that came.
    func questions(where came: Set<String>) -> [Question] {
        let docTypes = came.union(needs.absent(from: came))
        return questions.filter { !$0.docTypes.isDisjoint(with: docTypes) }
    }

    /// Whether a needed document did not come.
    func lacksDocument(where came: Set<String>) -> Bool { !needs.absent(from: came).isEmpty }

    /// Returns all elements that were requested from needed documents that did not come.
    func missing(where came: Set<String>) -> [MissingElement] {
        let absent = needs.absent(from: came)
        return elements.filter { absent.contains($0.docType) }.map { MissingElement($0.name) }
    }

    /// Returns the elements that a document lacks: the elements that would answer a question whose answer is
    /// unknown, and the required elements that no question judges. If no requested element came, the result
    /// has all requested elements.
    func missing(
        from document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: ReasonedAnswer)]
    ) -> [MissingElement] {
        let asked = elements(of: document)
        // An element that is in both lists below is returned once.
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

    /// Returns the required elements whose value cannot be used and for which no usable alternative came. If
    /// no usable element came at all, all requested elements count as required. An element that a question
    /// judges is left out, because the answer to the question gives the reason.
    func unusable(
        in document: VerifiedDocument, _ answers: [(subject: Question.Subject, answer: ReasonedAnswer)],
        _ portraitFault: PortraitFault? = nil
    ) -> [UnusableElement] {
        let fault = { document.fault(of: $0, portraitFault) }
        let hasNothingUsable = !document.elements.contains { $0.signedBy == .issuer && fault($0.name) == nil }
        // If a question asks for the portrait, the answer to this question gives the portrait's fault as the
        // reason. The other elements then do not count as required.
        let isJudged = portraitFault != nil && answers.contains { $0.subject == .portrait }
        let needed =
            document.isEmpty || hasNothingUsable && !isJudged
            ? elements(of: document) : required(answers, of: document)
        return needed.compactMap { element in
            let came = element.choices.filter { $0.allSatisfy { document.has($0) } }
            // The element is not reported if its value is usable. It is not reported either if all elements
            // of one alternative set are usable.
            guard !came.contains(where: { $0.allSatisfy { fault($0) == nil } }) else { return nil }
            // One fault of each element is enough. An element that did not come has no fault.
            return came.joined().lazy.compactMap { name in
                fault(name).map { UnusableElement(name: name, fault: $0) }
            }.first
        }
    }

    /// Whether the portrait was requested from documents of this type, or may come in place of a requested
    /// element.
    func asksPortrait(of docType: String) -> Bool {
        questions.contains { $0.subject == .portrait && $0.docTypes.contains(docType) }
            || elements.contains { element in
                element.docType == docType
                    && element.choices.joined().contains { $0.identifier == "portrait" }
            }
    }

    /// Returns the required elements of a document that no question judges.
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

/// A required element whose value cannot be used: its name and the fault, never the value.
package struct UnusableElement: Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        /// The value is not of the element's type.
        case wrongType(WrongType)
        /// The value is of the element's type but gives no age.
        case age(AgeAnswer.AgeUnknown)
        /// The portrait cannot be decoded.
        case portrait(PortraitFault)
    }

    package let name: ElementName
    package let fault: Fault

    /// The fault in words, such as the type that was found and the type that was expected.
    package var text: String {
        switch fault {
        case .wrongType(let wrong): wrong.explanation(of: name.text)
        case .age(let unknown): AgeAnswer.cannotTell(unknown).reason
        case .portrait(let fault): fault.explanation(of: name.text)
        }
    }
}

extension VerifiedDocument {
    /// Whether the element itself came, or all elements of a set that may come in its place.
    fileprivate func has(_ element: AskedElement) -> Bool {
        element.choices.contains { $0.allSatisfy { has($0) } }
    }

    /// Returns the fault of an element's value; `nil` if the value is usable or did not come.
    ///
    /// - Parameter portraitFault: the fault that the decoder found in the document's portrait; `nil` if there
    ///   is none.
    fileprivate func fault(
        of name: ElementName, _ portraitFault: PortraitFault?
    ) -> UnusableElement.Fault? {
        if let wrong = wrongType(of: name) { return .wrongType(wrong) }
        // An approximate birth date is no fault, because the issuer knows no exact one.
        if let unknown = ageFault(of: name), case .implausible = unknown { return .age(unknown) }
        return name.identifier == "portrait" ? portraitFault.map { .portrait($0) } : nil
    }
}

extension AskedElement {
    /// The element itself, and each set of elements that may come in its place.
    fileprivate var choices: [[ElementName]] { [[name]] + alternatives }
}

extension Question.Subject {
    /// Returns the names of the elements of a document that the answer to this question needs.
    fileprivate func elements(among asked: [AskedElement], of docType: String) -> [ElementName] {
        switch self {
        case .ageOver(let years, _):
            // There is no `age_over_NN` above 99 years, so only the age in years can answer the question.
            let identifier = AgeAttestation(years: years)?.identifier ?? "age_in_years"
            return asked.map(\.name).filter { $0.identifier == identifier }
        // A document that has expired permits no driving.
        case .drive(let vehicle): return [vehicle.element, .inMainNameSpace("expiry_date", of: docType)]
        case .inDate: return [.inMainNameSpace("expiry_date", of: docType)]
        case .portrait: return asked.map(\.name).filter { $0.identifier == "portrait" }
        }
    }
}

extension AnswerExpectation {
    /// Creates the expectation of requests whose plan is not known. For each document, every requested
    /// `age_over_NN` is a question, and so is a requested `expiry_date`.
    package init(
        of requests: [ItemsRequest], _ useCases: [DeviceRequestInfo.UseCase] = [], on day: FullDate
    ) {
        let needs = DocumentNeeds(of: requests.map(\.docType), useCases)
        // Two use cases with the same documents have the same questions, which are asked once.
        var questions: [Question] = []
        for group in needs.groups {
            for question in Self.questions(about: group, in: requests, on: day)
            where !questions.contains(question) {
                questions.append(question)
            }
        }
        self.init(questions, of: requests.flatMap { $0.askedElements() }, needing: needs)
    }

    /// Returns the questions of the requests for documents of these types. A question that several types have
    /// in common is returned once, for all these types.
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
    /// The questions that this request implies: each `age_over_NN`, and the expiry date.
    fileprivate var subjects: [Question.Subject] {
        agesAsked.map { .ageOver($0, by: ageEvidence) } + (asksForExpiryDate ? [.inDate] : [])
    }

    /// The most revealing evidence of age among the requested elements. An answer may use this evidence.
    package var ageEvidence: AgeEvidence {
        if asksInMain("birth_date") { return .birthDate }
        return asksInMain("age_in_years") ? .ageInYears : .attestation
    }

    /// Whether the request asks for the expiry date. All namespaces count, because the namespace of an
    /// unknown document type is not known.
    package var asksForExpiryDate: Bool {
        nameSpaces.contains { $0.elements.contains { $0.identifier == "expiry_date" } }
    }

    private func asksInMain(_ identifier: String) -> Bool {
        asks(for: identifier, in: ElementName.inMainNameSpace(identifier, of: docType).nameSpace)
    }
}

/// The name of a needed element that was requested and did not come. A name is not personal data, so every
/// caller may read it.
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

    /// The missing element and what to do, in words for a person.
    package var text: String {
        if let age = AgeAttestation(name.identifier) {
            return
                "No proof of being over \(age.years) was shared. Ask again, and ask the holder to share it."
        }
        // The suffix also matches `domestic_driving_privileges`.
        if name.identifier.hasSuffix("driving_privileges") {
            return
                "The driving privileges were not shared. Ask again, and ask the holder to share them."
        }
        return
            "The \(Self.words[name.identifier] ?? "element \(name.text)") was not shared. Ask again, and ask the holder to share it."
    }

    package var json: JSONValue { ["element": .string(name.text), "text": .string(text)] }
}
