package import MdocModel

/// A document to be issued: its type and its elements, in their order.
package struct TestDocument: Sendable {
    package struct Element: Sendable {
        package var nameSpace: String
        package var identifier: String
        package var value: CBORDraft
    }

    package var docType: String
    package var elements: [Element] = []

    package init(docType: String) {
        self.docType = docType
    }

    package mutating func add(
        to nameSpace: String, _ elements: KeyValuePairs<String, CBORDraft>
    ) {
        self.elements += elements.map { Element(nameSpace: nameSpace, identifier: $0, value: $1) }
    }

    /// The value of an element, to be read or changed; nil if absent.
    package subscript(_ identifier: String) -> CBORDraft? {
        get { elements.first { $0.identifier == identifier }?.value }
        set {
            guard let index = elements.firstIndex(where: { $0.identifier == identifier }) else { return }
            if let newValue { elements[index].value = newValue } else { elements.remove(at: index) }
        }
    }

    /// The namespaces in the order of their first element.
    var nameSpaces: [String] {
        elements.reduce(into: []) { names, element in
            if !names.contains(element.nameSpace) { names.append(element.nameSpace) }
        }
    }
}

/// The licence of somebody who does not exist (ISO/IEC 18013-5 7.2.1; AAMVA mDL Implementation Guidelines).
package struct TestLicence: Sendable {
    package static let docType = DataModel.drivingLicence.docType
    package static let nameSpace = DataModel.drivingLicence.mainNameSpace
    package static let aamvaNameSpace = DataModel.aamvaNameSpace

    /// The holder's age in years when the licence is issued.
    package var age = 40
    /// The years NN for which there is an age_over_NN.
    package var attestedAges = [18, 21, 65]
    /// In bytes; see `TestPortrait.jpeg(size:)`.
    package var portraitSize = 2400
    /// How long the licence is still in date, in years; below 0 it has expired.
    package var yearsToExpiry = 9
    /// ISO 3166-2, where the licence names its state or province.
    package var jurisdiction: String?

    package init() {}

    package func document(on day: FullDate) -> TestDocument {
        var document = TestDocument(docType: Self.docType)
        document.add(to: Self.nameSpace, personalElements(on: day))
        document.add(to: Self.nameSpace, licenceElements(on: day))
        if let jurisdiction {
            document.add(to: Self.nameSpace, ["issuing_jurisdiction": .text(jurisdiction)])
        }
        for years in attestedAges {
            let identifier = "age_over_\(years < 10 ? "0" : "")\(years)"
            document.add(to: Self.nameSpace, [identifier: .boolean(age >= years)])
        }
        document.add(to: Self.aamvaNameSpace, aamvaElements(on: day))
        return document
    }

    private func personalElements(on day: FullDate) -> KeyValuePairs<String, CBORDraft> {
        [
            "family_name": "Testrup-Ødegård",
            "given_name": "Lumi Séraphine",
            "birth_date": .fullDate("\(day.addingYears(-age).start(ofMonth: 1))"),
            "sex": 2,
            "height": 171,
            "portrait": .bytes(TestPortrait.jpeg(size: portraitSize)),
            "portrait_capture_date": .dateTime("\(day.addingYears(-1).startInUTC)"),
            "age_in_years": .integer(Int64(age)),
        ]
    }

    private func licenceElements(on day: FullDate) -> KeyValuePairs<String, CBORDraft> {
        let issued = CBORDraft.fullDate("\(day.addingYears(-1))")
        let expires = CBORDraft.fullDate("\(day.addingYears(yearsToExpiry))")
        return [
            "issue_date": issued,
            "expiry_date": expires,
            "issuing_country": "UT",
            "issuing_authority": "Countersign Test Issuer",
            "document_number": "UT-7700423519",
            "driving_privileges": [
                ["vehicle_category_code": "B", "issue_date": issued, "expiry_date": expires]
            ],
            "un_distinguishing_sign": "UT",
        ]
    }

    private func aamvaElements(on day: FullDate) -> KeyValuePairs<String, CBORDraft> {
        [
            "domestic_driving_privileges": [
                [
                    "domestic_vehicle_class": [
                        "domestic_vehicle_class_code": "C",
                        "domestic_vehicle_class_description": "Non-commercial",
                        "issue_date": .fullDate("\(day.addingYears(-1))"),
                        "expiry_date": .fullDate("\(day.addingYears(yearsToExpiry))"),
                    ]
                ]
            ],
            "DHS_compliance": "F",
            "sex": 2,
            "family_name_truncation": "N",
            "given_name_truncation": "N",
        ]
    }
}

extension FullDate {
    /// The same day in another year; 28 February for a leap day.
    fileprivate func addingYears(_ years: Int) -> FullDate {
        FullDate(year: year + years, month: month, day: day)
            ?? FullDate(year: year + years, month: month, day: 28) ?? self
    }

    fileprivate func start(ofMonth month: Int) -> FullDate {
        FullDate(year: year, month: month, day: 1) ?? self
    }
}
