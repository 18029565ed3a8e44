package import CBOR

/// The result of comparing an element's value with the type that the data model defines for the element.
package enum ElementForm: Hashable, Sendable {
    case asDefined
    /// The value is readable, but its standard defines another form.
    case deviating(ElementDeparture)
    /// The value cannot be used as the element's type. An answer that needs the element is unknown.
    case wrongType(WrongType)
}

/// A deviation of a readable value from the form that its standard defines.
package enum ElementDeparture: String, CaseIterable, Sendable {
    case dateForm = "a date without its CBOR tag, or not in the form that the standard requires"
    case entryUnreadable = "a list with an entry that cannot be read"
    case dateOutsideMap = "a date that is not inside the map that the standard requires"
    case tooLong = "a text that is longer than the standard allows"
    case notACode = "a value that the standard does not list"
    case notACountry = "not a country code of two capital letters"
    case notASubdivision = "not a subdivision code of ISO 3166-2"
}

/// The expected type of an element, and the kind of value that was found. The value itself is not stored.
package struct WrongType: Hashable, Sendable {
    /// The type in the data model. Nil if no data model defines the element.
    package let expected: DataElementType?
    package let found: ElementContent

    package init(expected: DataElementType?, found: ElementContent) {
        self.expected = expected
        self.found = found
    }

    /// Returns the reason that the element `name` cannot be used, as a text for people.
    package func explanation(of name: String) -> String {
        switch expected {
        case .image?: "\(name) is \(found.text); ISO/IEC 18013-5 allows JPEG and JPEG 2000"
        case let expected? where !isEmptyOfItsType: "\(name) is \(found.text), not \(expected.noun)"
        default: "\(name) is \(found.text)"
        }
    }

    /// Whether the value has the right kind, but is empty.
    private var isEmptyOfItsType: Bool {
        switch found {
        // Several types, such as countries and codes, are texts and have the same `noun` as `text`.
        case .emptyText, .blankText: expected?.noun == DataElementType.text.noun
        case .emptyBytes: expected == .bytes
        // `emptyStructure` is found only if the type of the element is a list or map.
        case .emptyStructure: true
        default: false
        }
    }
}

extension WrongType {
    /// Recognises an unusable value of an element that no data model defines: null, a blank text, or an
    /// empty byte string. Nil for every other value, including an empty list, which may be a complete value.
    package init?(undefined value: CBORItem) {
        let found = ElementContent(value)
        guard [.null, .emptyText, .blankText, .emptyBytes].contains(found) else { return nil }
        self.init(expected: nil, found: found)
    }
}

extension ElementForm {
    package var wrongType: WrongType? {
        if case .wrongType(let wrong) = self { wrong } else { nil }
    }
}

extension DataElement {
    /// Compares a value with this row of the data model.
    package func form(of value: CBORItem) -> ElementForm {
        let form = type.form(of: value)
        guard form == .asDefined, let maximumCharacters, let bytes = try? value.utf8() else { return form }
        // A text has at least as many bytes as characters. The characters of most texts need not be counted.
        guard bytes.count > maximumCharacters else { return form }
        // Every character has exactly one byte that is not a continuation byte (10xxxxxx).
        let count = bytes.count { $0 & 0xc0 != 0x80 }
        return count <= maximumCharacters ? .asDefined : .deviating(.tooLong)
    }
}

extension DataElementType {
    /// Compares a value with this type.
    package func form(of value: CBORItem) -> ElementForm {
        switch self {
        // ISO/IEC 18013-5 restricts names to Latin-1. This restriction is not checked, because issuers also
        // use other letters in names.
        case .text: form(ofText: value) { _ in nil }
        case .country: form(ofText: value) { $0.isCountry ? nil : .notACountry }
        case .subdivision: form(ofText: value) { $0.isSubdivision ? nil : .notASubdivision }
        case .code(let codes):
            form(ofText: value) { text in
                codes.contains { $0.utf8.elementsEqual(text) } ? nil : .notACode
            }
        case .day: form(ofDate: value, isDayOnly: true)
        case .date: form(ofDate: value, isDayOnly: false)
        case .dayInMap: form(ofDayInMap: value)
        case .boolean: (try? value.boolean()) == nil ? wrong(value) : .asDefined
        case .integer: form(ofNumber: value) { _ in true }
        // The codes of ISO/IEC 5218: unknown, male, female, not applicable.
        case .sex: form(ofNumber: value) { [0, 1, 2, 9].contains($0) }
        case .number(let range):
            form(ofNumber: value) { number in Int(exactly: number).map(range.contains) == true }
        case .bytes: ElementContent(value) == .bytes ? .asDefined : wrong(value)
        case .image: form(ofImage: value)
        case .drivingPrivileges: form(ofPrivileges: value, isDomestic: false)
        case .domesticDrivingPrivileges: form(ofPrivileges: value, isDomestic: true)
        case .structure: form(ofStructure: value)
        }
    }

    private func wrong(_ value: CBORItem) -> ElementForm { wrong(ElementContent(value)) }

    private func wrong(_ found: ElementContent) -> ElementForm {
        .wrongType(WrongType(expected: self, found: found))
    }

    /// Compares a text. `departure` returns the deviation of a text that is not blank, or `nil` if the text
    /// has none.
    private func form(
        ofText value: CBORItem, _ departure: (ArraySlice<UInt8>) -> ElementDeparture?
    ) -> ElementForm {
        guard let text = try? value.utf8(), !text.isBlankText else { return wrong(value) }
        return departure(text).map { .deviating($0) } ?? .asDefined
    }

    /// Compares an unsigned integer with the numbers that the type allows.
    private func form(ofNumber value: CBORItem, _ isAllowed: (UInt64) -> Bool) -> ElementForm {
        guard let number = try? value.unsigned() else { return wrong(value) }
        return isAllowed(number) ? .asDefined : .deviating(.notACode)
    }

    /// Compares a date. With `isDayOnly` a date with a time is of the wrong type.
    private func form(ofDate value: CBORItem, isDayOnly: Bool) -> ElementForm {
        guard let date = try? DateText(value) else {
            let found = ElementContent(value)
            return wrong([.text, .taggedValue].contains(found) ? .notADate : found)
        }
        if isDayOnly, case .instant = date.value { return wrong(.dateAndTime) }
        return date.form.isEmpty ? .asDefined : .deviating(.dateForm)
    }

    private func form(ofStructure value: CBORItem) -> ElementForm {
        guard [.list, .map].contains(ElementContent(value)) else { return wrong(value) }
        return value.isHollow ? wrong(.emptyStructure) : .asDefined
    }

    /// Compares the map of ISO/IEC TS 23220-2, whose member `birth_date` is the day (Q145).
    private func form(ofDayInMap value: CBORItem) -> ElementForm {
        guard let map = try? value.map() else {
            let day = form(ofDate: value, isDayOnly: true)
            return day == .asDefined ? .deviating(.dateOutsideMap) : day
        }
        return map["birth_date"].map { form(ofDate: $0, isDayOnly: true) } ?? wrong(.malformed)
    }

    /// Compares an image with the formats of a portrait.
    private func form(ofImage value: CBORItem) -> ElementForm {
        guard let bytes = try? value.byteString() else { return wrong(value) }
        guard !bytes.isEmpty else { return wrong(.emptyBytes) }
        return ElementContent(unusableImage: bytes).map { wrong($0) } ?? .asDefined
    }
}

extension DataElementType {
    /// The type in plain words, with its article.
    package var noun: String {
        switch self {
        case .text, .country, .subdivision, .code: "a text"
        case .day, .date, .dayInMap: "a date"
        case .boolean: "a boolean"
        case .integer, .sex, .number: "an integer"
        case .image: "a JPEG or JPEG 2000 image"
        case .bytes: "a byte string"
        case .drivingPrivileges, .domesticDrivingPrivileges: "a list of driving privileges"
        case .structure: "a list or map"
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isCountry: Bool {
        count == 2 && allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    /// Whether this text is a country, a hyphen, and one to three letters or digits.
    fileprivate var isSubdivision: Bool {
        let rest = dropFirst(3)
        return prefix(2).isCountry && dropFirst(2).first == UInt8(ascii: "-") && (1...3).contains(rest.count)
            && rest.allSatisfy { character in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(character)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
            }
    }
}
