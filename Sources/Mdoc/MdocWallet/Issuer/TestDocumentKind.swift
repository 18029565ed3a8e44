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

    private var nameSpace: String {
        switch self {
        case .drivingLicence: TestLicence.nameSpace
        case .photoID, .nationalIDCard: "org.iso.23220.1"
        case .personID, .ageVerification: docType
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
            let isMap = self == .photoID && identifier == "birth_date"
            document.add(to: nameSpace, [identifier: isMap ? ["birth_date": value] : value])
        }
        for element in source.elements where AgeAttestation(element.identifier) != nil {
            document.add(to: nameSpace, [element.identifier: element.value])
        }
        if self == .nationalIDCard { document.addElementsOfJapan(from: source) }
        return document
    }
}

extension TestDocument {
    fileprivate mutating func addElementsOfJapan(from licence: TestDocument) {
        let nameSpace = "org.iso.23220.1.jp"
        add(to: nameSpace, ["full_name_unicode": "Testrup-Ødegård\u{3000}Lumi Séraphine"])
        add(to: nameSpace, ["individual_number_unicode": "123456789018"])
        if let portrait = licence["portrait"] { add(to: nameSpace, ["portrait": portrait]) }
    }
}
