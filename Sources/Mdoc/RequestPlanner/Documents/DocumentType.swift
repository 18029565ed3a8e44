package import MdocModel

/// One type of document: its data model, and which of its elements answer a claim of an intent.
package struct DocumentType: Sendable {
    package let docType: String
    /// The namespace of ages, and of every element of a document that is not known.
    package let mainNameSpace: String
    /// Nil if nothing is known of the document.
    package let model: DataModel?
    /// The elements that answer a claim; a claim that is not here has no answer.
    let answers: [Claim.Kind: [String]]
    /// The namespace of the elements that answer a claim, where it is not the main one.
    let answersElsewhere: [Claim.Kind: String]
    /// What may come in place of an element, in order.
    package let substitutes: [ElementName: [[ElementName]]]

    init(
        _ model: DataModel, answers: [Claim.Kind: [String]], answersElsewhere: [Claim.Kind: String] = [:],
        substitutes: [ElementName: [[ElementName]]] = [:]
    ) {
        docType = model.docType
        mainNameSpace = model.mainNameSpace
        self.model = model
        self.answers = answers
        self.answersElsewhere = answersElsewhere
        self.substitutes = substitutes
    }

    /// A document that is known only by its type, which is also taken as its namespace.
    init(named docType: String) {
        self.docType = docType
        mainNameSpace = docType
        model = nil
        answers = Self.usualAnswers
        answersElsewhere = [:]
        substitutes = [:]
    }

    /// The names that most documents took over from the mDL.
    static let usualAnswers: [Claim.Kind: [String]] = [
        .age: [], .name: ["family_name", "given_name"], .documentNumber: ["document_number"],
        .expiry: ["expiry_date"], .inDate: ["expiry_date"], .issueDate: ["issue_date"],
        .issuer: ["issuing_country", "issuing_authority"],
        .portrait: ["portrait"], .birthDate: ["birth_date"], .nationality: ["nationality"],
        .address: ["resident_address", "resident_city", "resident_postal_code", "resident_country"],
    ]

    /// Every element that the data model defines; empty if nothing is known of the document.
    package var elements: [DataElement] { model?.elements ?? [] }

    /// The row of an element in the data model. A document that is not known has age attestations alone.
    package func element(_ name: ElementName) -> DataElement? {
        if let model { return model.element(name) }
        return name.nameSpace == mainNameSpace ? DataElement(ageAttestation: name) : nil
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
