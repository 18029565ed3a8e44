package import MdocModel

/// One type of document: its elements, and which of them answer what an intent asks.
package struct DocumentType: Sendable {
    package let docType: String
    /// Where ages, and in documents not known everything, is.
    package let mainNameSpace: String
    /// Empty if nothing is known of the document.
    package let elements: [DataElement]
    /// The elements that answer a claim; a claim that is not here has no answer.
    let answers: [Claim.Kind: [String]]
    /// The namespace of the elements that answer a claim, where it is not the main one.
    let answersElsewhere: [Claim.Kind: String]
    /// What may come in place of an element, in order.
    package let substitutes: [ElementName: [[ElementName]]]

    init(
        docType: String, mainNameSpace: String, elements: [DataElement], answers: [Claim.Kind: [String]],
        answersElsewhere: [Claim.Kind: String] = [:],
        substitutes: [ElementName: [[ElementName]]] = [:]
    ) {
        self.docType = docType
        self.mainNameSpace = mainNameSpace
        self.elements = elements
        self.answers = answers
        self.answersElsewhere = answersElsewhere
        self.substitutes = substitutes
    }

    /// A document that is known only by its type, which is also taken as its namespace.
    init(named docType: String) {
        self.init(docType: docType, mainNameSpace: docType, elements: [], answers: Self.usualAnswers)
    }

    /// The names that most documents took over from the mDL.
    static let usualAnswers: [Claim.Kind: [String]] = [
        .age: [], .name: ["family_name", "given_name"], .documentNumber: ["document_number"],
        .expiry: ["expiry_date"], .inDate: ["expiry_date"], .issueDate: ["issue_date"],
        .issuer: ["issuing_country", "issuing_authority"],
        .portrait: ["portrait"], .birthDate: ["birth_date"], .nationality: ["nationality"],
        .address: ["resident_address", "resident_city", "resident_postal_code", "resident_country"],
    ]

    /// What is known of an element; an age attestation of any number of years is known where ages are.
    package func element(_ name: ElementName) -> DataElement? {
        if name.nameSpace == mainNameSpace, AgeAttestation(name.identifier) != nil, answers[.age] != nil {
            return DataElement(
                name: name, type: .boolean, isMandatory: false, source: elements.first?.source ?? .iso18013_5)
        }
        return elements.first { $0.name == name }
    }

    /// The elements that answer a kind of claim; empty for an age, whose element depends on its years.
    func elements(answering kind: Claim.Kind) -> [ElementName] {
        answers[kind, default: []].map {
            ElementName(nameSpace: answersElsewhere[kind] ?? mainNameSpace, identifier: $0)
        }
    }

    /// Whether the document cannot have this element: its namespace is known whole, and this is not in it.
    func lacks(_ name: ElementName) -> Bool {
        element(name) == nil && elements.contains { $0.name.nameSpace == name.nameSpace }
    }
}

/// A document as people name it, which may go by several types.
package struct DocumentFamily: Sendable {
    /// The word for it in an intent; for a document that is not known its type.
    package let word: String
    /// In plain words; nil for a document that is not known.
    package let title: String?
    /// Its types, the preferred one first; each is compared exactly (Q165). Never empty.
    package let types: [DocumentType]

    /// The main namespace, which is the same in all its types.
    package var mainNameSpace: String { types[0].mainNameSpace }

    /// All that are known, in the order in which they are preferred.
    package static let known: [DocumentFamily] = [
        .drivingLicence, .photoID, .personID, .ageVerification, .nationalIDCardOfJapan,
    ]

    /// The document of a word or type; nil if it is neither.
    package init?(_ text: String) {
        if let known = Self.known.first(where: { $0.word == text }) {
            self = known
        } else if let known = Self.known.first(where: { $0.types.contains { $0.docType == text } }) {
            // One spelling was named: that one is asked for.
            self.init(word: text, title: known.title, types: known.types.filter { $0.docType == text })
        } else if text.contains("."), text.utf8.count <= 255,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        {
            self.init(word: text, title: nil, types: [DocumentType(named: text)])
        } else {
            return nil
        }
    }

    init(word: String, title: String?, types: [DocumentType]) {
        self.word = word
        self.title = title
        self.types = types
    }
}

extension DocumentFamily: Hashable {
    package static func == (one: DocumentFamily, other: DocumentFamily) -> Bool {
        one.word == other.word
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(word)
    }
}
