package import MdocModel

/// A document type: its data model, and the elements that answer each claim of an intent.
package struct DocumentType: Sendable {
    /// The document type of ISO/IEC 18013-5, such as `org.iso.18013.5.1.mDL`.
    package let docType: String
    /// The namespace of the age attestations. For a type without a data model it is the namespace of every
    /// element.
    package let mainNameSpace: String
    /// The data model; `nil` if none is known for the type.
    package let model: DataModel?
    /// The elements that answer each kind of claim. The document cannot answer a kind of claim that has no
    /// entry.
    let answers: [Claim.Kind: [String]]
    /// The namespace of the elements that answer a claim, if it is not the main namespace.
    let answersElsewhere: [Claim.Kind: String]
    /// For each element, the sets of elements that may replace it, in order of preference.
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

    /// Makes a document type without a data model. Its main namespace has the name of the type.
    init(named docType: String) {
        self.docType = docType
        mainNameSpace = docType
        model = nil
        answers = Self.usualAnswers
        answersElsewhere = [:]
        substitutes = [:]
    }

    /// The element names that most document types took over from the mDL.
    static let usualAnswers: [Claim.Kind: [String]] = [
        .age: [], .name: ["family_name", "given_name"], .documentNumber: ["document_number"],
        .expiry: ["expiry_date"], .inDate: ["expiry_date"], .issueDate: ["issue_date"],
        .issuer: ["issuing_country", "issuing_authority"],
        .portrait: ["portrait"], .birthDate: ["birth_date"], .nationality: ["nationality"],
        .address: ["resident_address", "resident_city", "resident_postal_code", "resident_country"],
    ]

    /// Every element of the data model; empty for a type without a data model.
    package var elements: [DataElement] { model?.elements ?? [] }

    /// Returns the element `name` in the data model. Without a data model, only an age attestation is
    /// returned.
    package func element(_ name: ElementName) -> DataElement? {
        if let model { return model.element(name) }
        return name.nameSpace == mainNameSpace ? DataElement(ageAttestation: name) : nil
    }

    /// Returns the elements that answer a kind of claim. For an age the list is empty, because the name of
    /// its element depends on the age in years.
    func elements(answering kind: Claim.Kind) -> [ElementName] {
        answers[kind, default: []].map {
            ElementName(nameSpace: answersElsewhere[kind] ?? mainNameSpace, identifier: $0)
        }
    }

    /// Whether the document cannot have the element `name`: the data model has its namespace, but not the
    /// element.
    func lacks(_ name: ElementName) -> Bool {
        element(name) == nil && elements.contains { $0.name.nameSpace == name.nameSpace }
    }
}

/// A kind of document as people name it, such as a driving licence. It may have several document types.
package struct DocumentFamily: Sendable {
    /// The word for the document in an intent. For an unknown document the word is the document type.
    package let word: String
    /// The name of the document for users; `nil` for an unknown document.
    package let title: String?
    /// The document types, the preferred type first. A type is compared exactly, letter case included (Q165).
    /// Never empty.
    package let types: [DocumentType]

    /// The main namespace, which all types of the document share.
    package var mainNameSpace: String { types[0].mainNameSpace }

    /// All known documents, in order of preference.
    package static let known: [DocumentFamily] = [
        .drivingLicence, .photoID, .personID, .ageVerification, .nationalIDCardOfJapan,
    ]

    /// Finds the document for a word such as `mdl`, or for a document type; `nil` if `text` is neither.
    ///
    /// An unknown document type is accepted if it has a dot and at most 255 characters, all of them visible
    /// ASCII characters.
    package init?(_ text: String) {
        if let known = Self.known.first(where: { $0.word == text }) {
            self = known
        } else if let known = Self.known.first(where: { $0.types.contains { $0.docType == text } }) {
            // `text` is the document type in one of several spellings, so only that spelling is requested.
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
    // The word alone identifies a family, because no two families with different types have the same word.
    package static func == (one: DocumentFamily, other: DocumentFamily) -> Bool {
        one.word == other.word
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(word)
    }
}
