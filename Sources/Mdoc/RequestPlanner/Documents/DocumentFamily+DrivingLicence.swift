internal import MdocModel

extension DocumentFamily {
    /// The mobile driving licence (mDL) of ISO/IEC 18013-5.
    package static let drivingLicence = DocumentFamily(
        word: "mdl", title: "mobile driving licence",
        types: [
            DocumentType(
                .drivingLicence,
                answers: DocumentType.usualAnswers.merging([
                    // The elements of a domestic class are in AAMVA's namespace. They are added by the
                    // function `elements(answering:)` that takes a claim.
                    .category: ["driving_privileges", "expiry_date"], .domesticClass: [],
                    .address: [
                        "resident_address", "resident_city", "resident_state", "resident_postal_code",
                    ],
                ]) { $1 })
        ])

    /// The namespace of AAMVA, with the elements of North American licences.
    package static let aamvaNameSpace = DataModel.aamvaNameSpace
}
