internal import MdocModel

extension DocumentFamily {
    /// The photo ID of ISO/IEC TS 23220-4 Annex C, in both spellings that are in use (Q165).
    package static let photoID = DocumentFamily(
        word: "photoid", title: "photo ID",
        types: [photoIDType("org.iso.23220.photoid.1"), photoIDType("org.iso.23220.photoID.1")])

    private static let main = "org.iso.23220.1"

    private static func photoIDType(_ docType: String) -> DocumentType {
        DocumentType(
            docType: docType, mainNameSpace: main, elements: photoIDElements(docType),
            answers: DocumentType.usualAnswers, substitutes: substitutes)
    }

    /// Names and authority had other identifiers in the drafts that were first issued.
    private static let substitutes: [ElementName: [[ElementName]]] = Dictionary(
        uniqueKeysWithValues: ["family_name", "given_name", "issuing_authority"].map { identifier in
            (
                ElementName(nameSpace: main, identifier: identifier),
                [[ElementName(nameSpace: main, identifier: identifier + "_unicode")]]
            )
        })

    private static func photoIDElements(_ docType: String) -> [DataElement] {
        ElementTable(nameSpace: main, source: .iso23220_2)(
            mandatory: [
                "family_name": .text, "given_name": .text, "birth_date": .structure, "portrait": .image,
                "issue_date": .date, "expiry_date": .date, "issuing_authority": .text,
                "issuing_country": .country,
            ],
            optional: [
                "family_name_unicode": .text, "given_name_unicode": .text, "issuing_authority_unicode": .text,
                "family_name_viz": .text, "given_name_viz": .text, "family_name_latin1": .text,
                "given_name_latin1": .text, "age_in_years": .integer(.years), "age_birth_year": .integer(),
                "portrait_capture_date": .date, "birthplace": .text, "name_at_birth": .text,
                "resident_address": .text, "resident_city": .text, "resident_city_latin1": .text,
                "resident_postal_code": .text, "resident_country": .country, "sex": .sex,
                "nationality": .country, "document_number": .text, "issuing_subdivision": .subdivision,
            ])
            + ElementTable(nameSpace: docType, source: .photoID)(
                mandatory: [:],
                optional: [
                    "person_id": .text, "birth_country": .country, "birth_state": .text, "birth_city": .text,
                    "administrative_number": .text, "resident_street": .text,
                    "resident_house_number": .text, "resident_state": .text, "travel_document_type": .text,
                    "travel_document_number": .text, "travel_document_mrz": .text,
                ])
    }
}
