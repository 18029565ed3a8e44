extension DataModel {
    /// Japan's My Number Card: names, portrait and number in Japan's namespace, ages and dates in the
    /// namespace of ISO/IEC TS 23220-2.
    package static let nationalIDCardOfJapan = DataModel(
        docType: "org.iso.23220.1.jp.mnc", mainNameSpace: "org.iso.23220.1",
        elements: ElementTable(nameSpace: "org.iso.23220.1", source: .myNumberCard)(
            mandatory: [:],
            optional: ["birth_date": .day, "age_in_years": .integer(.years), "sex": .sex])
            + ElementTable(nameSpace: japaneseNameSpace, source: .myNumberCard)(
                mandatory: [:],
                optional: [
                    "full_name_unicode": .text, "resident_address_unicode": .text,
                    "local_gov_code_unicode": .text, "individual_number_unicode": .text,
                    "portrait": .image, "sex_unicode": .text, "birth_date_unicode": .text,
                ]))

    package static let japaneseNameSpace = "org.iso.23220.1.jp"
}
