extension DocumentFamily {
    /// Japan's My Number Card: names, portrait and number in Japan's namespace, ages and dates in that of
    /// ISO/IEC TS 23220-2.
    package static let nationalIDCardOfJapan = DocumentFamily(
        word: "mnc", title: "My Number Card of Japan",
        types: [
            DocumentType(
                docType: "org.iso.23220.1.jp.mnc", mainNameSpace: "org.iso.23220.1",
                elements: common + japanese,
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

    package static let japaneseNameSpace = "org.iso.23220.1.jp"

    private static let common = ElementTable(nameSpace: "org.iso.23220.1", source: .myNumberCard)(
        mandatory: [:], optional: ["birth_date": .day, "age_in_years": .integer(.years), "sex": .sex])

    private static let japanese = ElementTable(nameSpace: japaneseNameSpace, source: .myNumberCard)(
        mandatory: [:],
        optional: [
            "full_name_unicode": .text, "resident_address_unicode": .text, "local_gov_code_unicode": .text,
            "individual_number_unicode": .text, "portrait": .image, "sex_unicode": .text,
            "birth_date_unicode": .text,
        ])
}
