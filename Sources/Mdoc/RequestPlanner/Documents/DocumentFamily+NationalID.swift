internal import MdocModel

extension DocumentFamily {
    /// The My Number Card of Japan.
    package static let nationalIDCardOfJapan = DocumentFamily(
        word: "mnc", title: "My Number Card of Japan",
        types: [
            DocumentType(
                .nationalIDCardOfJapan,
                answers: [
                    .age: [], .birthDate: ["birth_date"], .name: ["full_name_unicode"],
                    .documentNumber: ["individual_number_unicode"], .portrait: ["portrait"],
                    .address: ["resident_address_unicode"],
                ],
                answersElsewhere: Dictionary(
                    uniqueKeysWithValues: [.name, .documentNumber, .portrait, .address].map {
                        ($0, japaneseNameSpace)
                    }))
        ])

    /// The namespace of the elements that only the Japanese card has.
    package static let japaneseNameSpace = DataModel.japaneseNameSpace
}
