package import MdocModel

/// The documents of one person that does not exist; the words for them are those of intents.
package enum TestDocumentKind: String, CaseIterable, Sendable {
    case drivingLicence = "mdl"
    /// ISO/IEC TS 23220-4, Annex C.
    case photoID = "photoid"
    /// EU person identification data.
    case personID = "pid"
    /// EU age verification: ages and nothing else.
    case ageVerification = "av"
    /// The My Number Card of Japan, which has the whole name in one element.
    case nationalIDCard = "mnc"

    package var docType: String {
        switch self {
        case .drivingLicence: TestLicence.docType
        case .photoID: "org.iso.23220.photoid.1"
        case .personID: "eu.europa.ec.eudi.pid.1"
        case .ageVerification: "eu.europa.ec.av.1"
        case .nationalIDCard: "org.iso.23220.1.jp.mnc"
        }
    }

    /// The elements beside the ages, as in the licence.
    private var elements: [String] {
        let all = [
            "family_name", "given_name", "birth_date", "expiry_date", "issuing_authority", "issuing_country",
        ]
        switch self {
        case .drivingLicence, .ageVerification: return []
        case .photoID: return all + ["portrait", "issue_date", "document_number", "age_in_years"]
        case .personID: return all + ["portrait", "document_number", "age_in_years"]
        case .nationalIDCard: return ["birth_date", "age_in_years", "sex"]
        }
    }

    /// The document of this kind for the person of a licence, issued on `day`.
    package func document(for licence: TestLicence, on day: FullDate) -> TestDocument {
        let source = licence.document(on: day)
        guard self != .drivingLicence else { return source }
        var document = TestDocument(docType: docType)
        for identifier in elements {
            guard let value = source[identifier] else { continue }
            document.addToMain(identifier, value)
        }
        for element in source.elements where AgeAttestation(element.identifier) != nil {
            document.addToMain(element.identifier, element.value)
        }
        switch self {
        case .personID: document.addElementsOfPersonID()
        case .nationalIDCard: document.addElementsOfJapan(from: source)
        case .drivingLicence, .photoID, .ageVerification: break
        }
        return document
    }
}

extension TestDocument {
    /// Adds an element to the main namespace, with its value in the form that the data model has for this type.
    fileprivate mutating func addToMain(_ identifier: String, _ value: CBORDraft) {
        let name = ElementName.inMainNameSpace(identifier, of: docType)
        let isInMap = DataModel(docType: docType)?.element(name)?.type == .dayInMap
        add(to: name.nameSpace, [identifier: isInMap ? ["birth_date": value] : value])
    }

    fileprivate mutating func addElementsOfPersonID() {
        addToMain("place_of_birth", ["country": "UT", "locality": "Testby"])
        addToMain("nationality", ["UT"])
    }

    fileprivate mutating func addElementsOfJapan(from licence: TestDocument) {
        let nameSpace = DataModel.japaneseNameSpace
        add(to: nameSpace, ["full_name_unicode": "Testrup-Ødegård\u{3000}Lumi Séraphine"])
        add(to: nameSpace, ["individual_number_unicode": "123456789018"])
        if let portrait = licence["portrait"] { add(to: nameSpace, ["portrait": portrait]) }
    }
}
