extension DataModel {
    /// The mobile driving licence (ISO/IEC 18013-5 7.2.1) with AAMVA's elements.
    package static let drivingLicence = DataModel(
        docType: "org.iso.18013.5.1.mDL", mainNameSpace: "org.iso.18013.5.1", elements: iso18013 + aamva)

    package static let aamvaNameSpace = "org.iso.18013.5.1.aamva"

    private static let eyeColours = [
        "black", "blue", "brown", "dichromatic", "grey", "green", "hazel", "maroon", "pink", "unknown",
    ]
    private static let hairColours = [
        "bald", "black", "blond", "brown", "grey", "red", "auburn", "sandy", "white", "unknown",
    ]

    private static let iso18013 = ElementTable(
        nameSpace: "org.iso.18013.5.1", source: .iso18013_5, maximumCharacters: 150)(
            mandatory: [
                "family_name": .text, "given_name": .text, "birth_date": .day,
                "issue_date": .date, "expiry_date": .date, "issuing_country": .country,
                "issuing_authority": .text, "document_number": .text, "portrait": .image,
                "driving_privileges": .drivingPrivileges, "un_distinguishing_sign": .text,
            ],
            optional: [
                "administrative_number": .text, "sex": .sex, "height": .integer(.centimetres),
                "weight": .integer(.kilograms), "eye_colour": .code(eyeColours),
                "hair_colour": .code(hairColours), "birth_place": .text,
                "resident_address": .text, "resident_city": .text,
                "resident_state": .text, "resident_postal_code": .text,
                "resident_country": .country, "nationality": .country, "portrait_capture_date": .date,
                "age_in_years": .integer(.years), "age_birth_year": .integer(),
                "issuing_jurisdiction": .subdivision, "biometric_template_face": .bytes,
                "biometric_template_finger": .bytes, "biometric_template_signature_sign": .bytes,
                "biometric_template_iris": .bytes, "family_name_national_character": .text,
                "given_name_national_character": .text, "signature_usual_mark": .image,
            ])

    private static let truncation = DataElementType.code(["T", "N", "U"])

    // An element of the type `.number(1...1)` is a flag: its value is 1, or the element is absent.
    private static let aamva = ElementTable(nameSpace: aamvaNameSpace, source: .aamva)(
        mandatory: [
            "domestic_driving_privileges": .domesticDrivingPrivileges, "DHS_compliance": .code(["F", "N"]),
            "sex": .sex, "family_name_truncation": truncation, "given_name_truncation": truncation,
        ],
        optional: [
            "name_suffix": .text, "organ_donor": .number(1...1), "veteran": .number(1...1),
            "aka_family_name": .text, "aka_family_name.v2": .text, "aka_given_name": .text,
            "aka_given_name.v2": .text, "aka_suffix": .text, "weight_range": .number(0...9),
            "race_ethnicity": .code(["AI", "AP", "BK", "H", "O", "U", "W"]), "DHS_compliance_text": .text,
            "DHS_temporary_lawful_status": .number(1...1), "EDL_credential": .number(1...2),
            "resident_county": .text, "hazmat_endorsement_expiration_date": .day,
            "CDL_indicator": .number(1...1), "audit_information": .text, "aamva_version": .integer(),
        ])
}
