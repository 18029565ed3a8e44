internal import MdocModel

extension DocumentFamily {
    package static let drivingLicence = DocumentFamily(
        word: "mdl", title: "mobile driving licence",
        types: [
            DocumentType(
                .drivingLicence,
                answers: DocumentType.usualAnswers.merging([
                    .category: ["driving_privileges", "expiry_date"], .domesticClass: [],
                    .address: [
                        "resident_address", "resident_city", "resident_state", "resident_postal_code",
                    ],
                ]) { $1 })
        ])

    package static let aamvaNameSpace = DataModel.aamvaNameSpace
}
