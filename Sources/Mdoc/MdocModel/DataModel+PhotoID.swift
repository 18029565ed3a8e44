extension DataModel {
    /// The photo ID of ISO/IEC TS 23220-4 Annex C. Its document type is in use in two spellings (Q165).
    /// `photoIDInCapitals` has the other spelling.
    package static let photoID = photoIDModel("org.iso.23220.photoid.1")
    package static let photoIDInCapitals = photoIDModel("org.iso.23220.photoID.1")

    private static func photoIDModel(_ docType: String) -> DataModel {
        let main = "org.iso.23220.1"
        return DataModel(
            docType: docType, mainNameSpace: main,
            elements: ElementTable(nameSpace: main, source: .iso23220_2)(
                mandatory: photoIDMandatory, optional: photoIDOptional)
                // The elements that only the photo ID has are in a namespace with the name of the document
                // type.
                + ElementTable(nameSpace: docType, source: .photoID)(
                    mandatory: [:], optional: photoIDOfItsType))
    }

    private static let photoIDMandatory: KeyValuePairs<String, DataElementType> = [
        "family_name": .text, "given_name": .text, "birth_date": .dayInMap, "portrait": .image,
        "issue_date": .date, "expiry_date": .date, "issuing_authority": .text, "issuing_country": .country,
    ]

    private static let photoIDOptional: KeyValuePairs<String, DataElementType> = [
        "family_name_unicode": .text, "given_name_unicode": .text, "issuing_authority_unicode": .text,
        "family_name_viz": .text, "given_name_viz": .text, "family_name_latin1": .text,
        "given_name_latin1": .text, "age_in_years": .integer(.years), "age_birth_year": .integer(),
        "portrait_capture_date": .date, "birthplace": .text, "name_at_birth": .text,
        "resident_address": .text, "resident_city": .text, "resident_city_latin1": .text,
        "resident_postal_code": .text, "resident_country": .country, "sex": .sex,
        "nationality": .country, "document_number": .text, "issuing_subdivision": .subdivision,
    ]

    private static let photoIDOfItsType: KeyValuePairs<String, DataElementType> = [
        "person_id": .text, "birth_country": .country, "birth_state": .text, "birth_city": .text,
        "administrative_number": .text, "resident_street": .text, "resident_house_number": .text,
        "resident_state": .text, "travel_document_type": .text, "travel_document_number": .text,
        "travel_document_mrz": .text,
    ]
}
