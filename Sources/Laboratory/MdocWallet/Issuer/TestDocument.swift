package import MdocModel

/// The content of a document before it is issued: its type, and its elements in their order.
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

    /// The value of an element, or nil if the document does not have the element. Assigning nil removes the
    /// element. An assignment to an element that the document does not have does nothing.
    package subscript(_ identifier: String) -> CBORDraft? {
        get { elements.first { $0.identifier == identifier }?.value }
        set {
            guard let index = elements.firstIndex(where: { $0.identifier == identifier }) else { return }
            if let newValue { elements[index].value = newValue } else { elements.remove(at: index) }
        }
    }

    /// The namespaces, in the order of their first elements.
    var nameSpaces: [String] {
        elements.reduce(into: []) { names, element in
            if !names.contains(element.nameSpace) { names.append(element.nameSpace) }
        }
    }
}

/// The driving licence of an invented person (ISO/IEC 18013-5 7.2.1; AAMVA mDL Implementation Guidelines).
package struct TestLicence: Sendable {
    package static let docType = DataModel.drivingLicence.docType
    package static let nameSpace = DataModel.drivingLicence.mainNameSpace
    package static let aamvaNameSpace = DataModel.aamvaNameSpace

    /// The holder's age in years on the day on which the document is made.
    package var age = 40
    /// The ages NN for which the licence has an age_over_NN.
    package var attestedAges = [18, 21, 65]
    /// The size of the portrait in bytes; see `TestPortrait.jpeg(size:)`.
    package var portraitSize = 2400
    /// The number of years until the licence expires. Negative for an expired licence.
    package var yearsToExpiry = 9
    /// The state or province of the licence (ISO 3166-2). Nil for a licence without this element.
    package var jurisdiction: String?

    package init() {}

    /// Makes the content of the licence as of `day`. Its `issue_date` is a year before `day`.
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

    /// The elements about the person. The birthday is 1 January, so that the age is right on every day of a
    /// year. The value 2 of `sex` stands for female (ISO/IEC 5218).
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

    /// The elements of AAMVA. F stands for a card that fully complies with the REAL ID rules, and N for a
    /// name that is not truncated.
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
    /// Returns the same day in another year. In a year that has no 29 February, that day becomes 28 February.
    fileprivate func addingYears(_ years: Int) -> FullDate {
        FullDate(year: year + years, month: month, day: day)
            ?? FullDate(year: year + years, month: month, day: 28) ?? self
    }

    fileprivate func start(ofMonth month: Int) -> FullDate {
        FullDate(year: year, month: month, day: 1) ?? self
    }
}

/// The kinds of documents of one invented person. The raw values are the words with which an intent
/// (`RequestIntent`) names these kinds.
package enum TestDocumentKind: String, CaseIterable, Sendable {
    case drivingLicence = "mdl"
    /// The photo ID of ISO/IEC TS 23220-4, Annex C.
    case photoID = "photoid"
    /// The EU's person identification data.
    case personID = "pid"
    /// The EU's age verification document, which contains only age attestations.
    case ageVerification = "av"
    /// Japan's My Number Card, which has the whole name in one element.
    case nationalIDCard = "mnc"

    package var docType: String {
        switch self {
        case .drivingLicence: TestLicence.docType
        case .photoID: "org.iso.23220.photoid.1"
        case .personID: "eu.europa.ec.eudi.pid.1"
        case .ageVerification: "eu.europa.ec.av.1"
        case .nationalIDCard: "org.iso.23220.1.jp.mnc"
        }
    }

    /// The identifiers of the elements that the document copies from the licence, besides the ages.
    private var elements: [String] {
        let all = [
            "family_name", "given_name", "birth_date", "expiry_date", "issuing_authority", "issuing_country",
        ]
        switch self {
        case .drivingLicence, .ageVerification: return []
        case .photoID: return all + ["portrait", "issue_date", "document_number", "age_in_years"]
        case .personID: return all + ["portrait", "document_number", "age_in_years"]
        case .nationalIDCard: return ["birth_date", "age_in_years", "sex"]
        }
    }

    /// Makes the document of this kind for the person of a licence, as of `day`.
    package func document(for licence: TestLicence, on day: FullDate) -> TestDocument {
        let source = licence.document(on: day)
        guard self != .drivingLicence else { return source }
        var document = TestDocument(docType: docType)
        for identifier in elements {
            guard let value = source[identifier] else { continue }
            document.addToMain(identifier, value)
        }
        for element in source.elements where AgeAttestation(element.identifier) != nil {
            document.addToMain(element.identifier, element.value)
        }
        switch self {
        case .personID: document.addElementsOfPersonID()
        case .nationalIDCard: document.addElementsOfJapan(from: source)
        case .drivingLicence, .photoID, .ageVerification: break
        }
        return document
    }
}

extension TestDocument {
    /// Adds an element to the main namespace. A birth date gets the form of the document type's data model: a
    /// date, or a map with the date.
    fileprivate mutating func addToMain(_ identifier: String, _ value: CBORDraft) {
        let name = ElementName.inMainNameSpace(identifier, of: docType)
        let isInMap = DataModel(docType: docType)?.element(name)?.type == .dayInMap
        add(to: name.nameSpace, [identifier: isInMap ? ["birth_date": value] : value])
    }

    /// Adds the elements that only the EU's person identification data has.
    fileprivate mutating func addElementsOfPersonID() {
        addToMain("place_of_birth", ["country": "UT", "locality": "Testby"])
        addToMain("nationality", ["UT"])
    }

    /// Adds the elements that only Japan's My Number Card has, in a separate namespace. In the whole name, an
    /// ideographic space separates the family name from the given name.
    fileprivate mutating func addElementsOfJapan(from licence: TestDocument) {
        let nameSpace = DataModel.japaneseNameSpace
        add(to: nameSpace, ["full_name_unicode": "Testrup-Ødegård\u{3000}Lumi Séraphine"])
        add(to: nameSpace, ["individual_number_unicode": "123456789018"])
        if let portrait = licence["portrait"] { add(to: nameSpace, ["portrait": portrait]) }
    }
}

/// A face that was drawn for this repository and shows nobody, as a baseline JPEG of any size from
/// `minimumSize`.
package enum TestPortrait {
    /// The size of the drawing itself, in bytes.
    package static var minimumSize: Int { PackageResources.portrait_jpg.count }

    /// The second byte of the marker of an application segment.
    private static let applicationSegment: UInt8 = 0xef
    /// The maximum value of a segment's length field, which includes the two bytes of the field itself.
    private static let longestSegment = 0xffff
    /// The size of a marker, in bytes.
    private static let markerSize = 2

    /// Returns the drawing, padded to `size` bytes with application segments, which decoders skip. If `size`
    /// is smaller than the drawing, returns the drawing unchanged.
    package static func jpeg(size: Int) -> [UInt8] {
        let drawing = PackageResources.portrait_jpg
        var padding: [UInt8] = []
        padding.reserveCapacity(max(0, size - drawing.count))
        var missing = size - drawing.count
        // The smallest segment has a marker and a length field of two bytes.
        while missing >= markerSize + 2 {
            let length = min(missing - markerSize, longestSegment)
            padding += [0xff, applicationSegment, UInt8(length >> 8), UInt8(length & 0xff)]
            padding += repeatElement(0x20, count: length - 2)
            missing -= markerSize + length
        }
        // The rest is too short for a segment, so it becomes fill bytes, which may precede any marker (ITU-T
        // T.81 B.1.1.2).
        padding += repeatElement(0xff, count: max(0, missing))
        return drawing[..<markerSize] + padding + drawing[markerSize...]
    }
}
