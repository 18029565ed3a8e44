extension DataModel {
    /// The person identification data (PID) of the EU.
    package static let personID = DataModel(
        docType: personIDName, mainNameSpace: personIDName,
        elements: ElementTable(nameSpace: personIDName, source: .personID)(
            mandatory: [
                "family_name": .text, "given_name": .text, "birth_date": .day, "place_of_birth": .structure,
                "nationality": .structure, "expiry_date": .date, "issuing_authority": .text,
                "issuing_country": .country,
            ],
            optional: [
                "birth_place": .text, "birth_country": .country, "birth_state": .text, "birth_city": .text,
                "age_in_years": .integer(.years), "age_birth_year": .integer(), "family_name_birth": .text,
                "given_name_birth": .text, "resident_address": .text, "resident_country": .country,
                "resident_state": .text, "resident_city": .text, "resident_postal_code": .text,
                // The rulebook for the EU's PID defines more codes for sex than ISO/IEC 5218, such as 3
                // (other).
                "resident_street": .text, "resident_house_number": .text, "sex": .number(0...9),
                "portrait": .image, "personal_administrative_number": .text, "email_address": .text,
                "mobile_phone_number": .text, "issuance_date": .date, "document_number": .text,
                "issuing_jurisdiction": .subdivision, "location_status": .text, "trust_anchor": .text,
            ]))

    private static let personIDName = "eu.europa.ec.eudi.pid.1"

    /// The age verification document of the EU. It has only age attestations, so it has no portrait.
    package static let ageVerification = DataModel(
        docType: ageVerificationName, mainNameSpace: ageVerificationName,
        elements: ElementTable(nameSpace: ageVerificationName, source: .ageVerification)(
            mandatory: ["age_over_18": .boolean], optional: [:]))

    private static let ageVerificationName = "eu.europa.ec.av.1"
}
