internal import MdocModel

extension DocumentFamily {
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

    package static let japaneseNameSpace = DataModel.japaneseNameSpace
}
