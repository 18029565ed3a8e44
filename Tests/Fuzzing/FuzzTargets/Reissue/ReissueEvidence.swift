internal import CBOR
internal import MdocModel
internal import MdocVerification
internal import Reports

/// The evidence about a question among the elements that are reported of a document, by rules that are simpler and a little
/// more lenient than those of the verification: a date with a time is taken for any of the days around it.
struct ReissueEvidence {
    private struct Element {
        let nameSpace: String
        let identifier: String
        let value: ReferenceCBOR
    }

    /// Why the answers that were checked do not follow from the evidence.
    private(set) var violations: [StaticString] = []
    private let elements: [Element]
    private let day: Int

    init(_ document: VerifiedDocument, on day: FullDate) {
        elements = document.elements.filter { $0.signedBy == .issuer }.compactMap { element in
            ReferenceCBOR.decode(element.value.encoded, depth: 64).map {
                Element(nameSpace: element.name.nameSpace, identifier: element.name.identifier, value: $0)
            }
        }
        self.day = Self.number(day.year, day.month, day.day)
    }

    private mutating func demand(_ condition: Bool, _ reason: StaticString) {
        if !condition { violations.append(reason) }
    }

    mutating func check(_ word: Answer, to subject: Question.Subject, isExpiryAsked: Bool) {
        switch subject {
        case .ageOver(let years, _): checkAge(word, years)
        case .drive(.category(let code)): checkCategory(word, code, isExpiryAsked: isExpiryAsked)
        case .drive(.domesticClass): checkDomestic(word, isExpiryAsked: isExpiryAsked)
        case .inDate: checkInDate(word)
        case .portrait: demand(word != .yes || hasPicture, "a portrait that is no picture")
        }
    }

    private func main(_ identifier: String) -> ReferenceCBOR? {
        elements.first { $0.nameSpace == ReissueValues.mainNameSpace && $0.identifier == identifier }?.value
    }

    private func all(_ identifier: String) -> [ReferenceCBOR] {
        elements.filter { $0.identifier == identifier }.map(\.value)
    }
}

extension ReissueEvidence {
    private mutating func checkAge(_ word: Answer, _ years: Int) {
        let attested = elements.compactMap { element -> (years: Int, value: ReferenceCBOR, isMain: Bool)? in
            AgeAttestation(element.identifier).map {
                ($0.years, element.value, element.nameSpace == ReissueValues.mainNameSpace)
            }
        }
        let proofs = attested.filter { $0.isMain && $0.years >= years && $0.value.boolean == true }
        let refutes = attested.contains { $0.years <= years && $0.value.boolean == false }
        let isOlder = all("age_in_years").contains { $0.unsigned.map { $0 >= UInt64(years) } ?? false }
        let births = all("birth_date").compactMap(\.birthDate)
        let isBornBefore = births.contains { $0.days.contains { day - years * Self.year >= $0 } }
        let isBornAfter = births.contains { $0.days.contains { day - years * Self.year < $0 } }
        switch word {
        case .yes:
            // A birth date may show that a false attestation is out of date.
            demand(!refutes || isBornBefore, "a yes against an attestation")
            demand(!proofs.isEmpty || isOlder || isBornBefore, "a yes without evidence of the age")
        case .no: demand(refutes || isBornAfter, "a no without evidence of the age")
        case .unknown:
            let isWhole = attested.allSatisfy { $0.value.boolean != nil } && births.isEmpty
            demand(
                !(proofs.contains(where: \.isMain) && !refutes && isWhole),
                "whole evidence of an age is not taken")
        }
    }

    private mutating func checkCategory(_ word: Answer, _ code: String, isExpiryAsked: Bool) {
        let entries = main("driving_privileges")?.items?.filter {
            $0["vehicle_category_code"]?.utf8?.elementsEqual(code.utf8) == true
        }
        let valid = (entries ?? []).filter { entry in
            !isPast(entry["expiry_date"]) && !isFuture(entry["issue_date"])
        }
        switch word {
        case .yes:
            demand(!valid.isEmpty, "a yes to a category that is not granted")
            demand(!isPast("expiry_date"), "a yes to driving after the document's expiry date")
            demand(!isExpiryAsked || main("expiry_date") != nil, "a yes to driving without the expiry date")
        case .no: demand(entries != nil || main("expiry_date") != nil, "a no to driving without evidence")
        case .unknown:
            let isOne = entries?.count == 1 && valid.first?.isPlainPrivilege == true
            demand(
                !(isOne && main("expiry_date")?.isPlainDay == true),
                "whole evidence of a category is not taken")
        }
        if word == .no, entries?.count == 1, let only = valid.first, only.isPlainPrivilege {
            demand(mayBePast("expiry_date"), "a no to a category that is granted")
        }
    }

    private mutating func checkDomestic(_ word: Answer, isExpiryAsked: Bool) {
        guard word == .yes else { return }
        demand(
            elements.contains { $0.identifier == "domestic_driving_privileges" },
            "a yes to a class without evidence")
        demand(!isPast("expiry_date"), "a yes to a class after the document's expiry date")
        demand(!isExpiryAsked || main("expiry_date") != nil, "a yes to a class without the expiry date")
    }

    private mutating func checkInDate(_ word: Answer) {
        switch word {
        case .yes:
            demand(main("expiry_date")?.date != nil, "a document is in date without an expiry date")
            demand(!isPast("expiry_date"), "a document is in date after its expiry date")
        case .no:
            demand(main("expiry_date")?.date != nil, "a document is out of date without an expiry date")
            demand(mayBePast("expiry_date"), "a document is out of date before its expiry date")
        case .unknown:
            demand(main("expiry_date")?.isPlainDay != true, "a whole expiry date is not taken")
        }
    }

    /// Whether a portrait begins and ends as a whole JPEG, or begins as a JPEG 2000.
    private var hasPicture: Bool {
        all("portrait").compactMap(\.byteString).contains { bytes in
            guard bytes.count >= 64 else { return false }
            if bytes.starts(with: [0xff, 0xd8, 0xff]) {
                return bytes.firstRange(of: [0xff, 0xd9]) != nil
            }
            return bytes.starts(with: [0xff, 0x4f, 0xff, 0x51])
                || bytes.starts(with: [0, 0, 0, 12, 0x6a, 0x50])
        }
    }
}

extension ReissueEvidence {
    /// Whether the document's element is a day that is over, by every reading.
    func isPast(_ identifier: String) -> Bool { main(identifier).map { isPast($0) } ?? false }

    /// Whether the element is missing, or may be a day that is over.
    private func mayBePast(_ identifier: String) -> Bool {
        main(identifier)?.date.map { $0.days.contains { $0 < day } } ?? true
    }

    private func isPast(_ item: ReferenceCBOR?) -> Bool {
        item?.date.map { $0.days.allSatisfy { $0 < day } } ?? false
    }

    private func isFuture(_ item: ReferenceCBOR?) -> Bool {
        item?.date.map { $0.days.allSatisfy { $0 > day } } ?? false
    }

    fileprivate static let year = 12 * 31

    /// A number that grows with the day.
    fileprivate static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        (year * 12 + month - 1) * 31 + day - 1
    }
}

extension ReissueEvidence {
    /// The mandatory elements of ISO/IEC 18013-5 Table 5, and whether a value is of an element's kind at all.
    private static let mandatory: [String: @Sendable (ReferenceCBOR) -> Bool] = [
        "family_name": { $0.utf8 != nil }, "given_name": { $0.utf8 != nil },
        "birth_date": { $0.date != nil }, "issue_date": { $0.date != nil }, "expiry_date": { $0.date != nil },
        "issuing_country": { $0.utf8 != nil }, "issuing_authority": { $0.utf8 != nil },
        "document_number": { $0.utf8 != nil }, "portrait": { $0.byteString != nil },
        "driving_privileges": { $0.items != nil }, "un_distinguishing_sign": { $0.utf8 != nil },
    ]

    static func isMandatory(_ identifier: String) -> Bool { mandatory[identifier] != nil }

    /// Whether the element came, signed by the issuer, with a value of its kind.
    func hasMandatory(_ identifier: String) -> Bool {
        main(identifier).map { Self.mandatory[identifier]?($0) == true } ?? false
    }
}

/// The days that a text with a date may stand for.
private struct ReissueDate {
    let days: [Int]
}

extension ReferenceCBOR {
    /// The date at the beginning of a text, under tag 0, 1004 or none.
    fileprivate var date: ReissueDate? {
        let text: [UInt8]
        switch self {
        case .tagged(0, .text(let content)), .tagged(1004, .text(let content)), .text(let content):
            text = content
        default: return nil
        }
        guard text.count >= 10, let string = String(validating: text.prefix(10), as: UTF8.self) else {
            return nil
        }
        let parts = string.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else {
            return nil
        }
        let number = ReissueEvidence.number(year, month, day)
        // A day and its neighbours may be up to four numbers apart, at the end of February.
        return ReissueDate(days: text.count == 10 ? [number] : [number - 4, number, number + 4])
    }

    /// The date of birth, also inside the map of a photo ID, unless a part of it is unknown.
    fileprivate var birthDate: ReissueDate? {
        if case .map = self { self["approximate_mask"] == nil ? self["birth_date"]?.date : nil } else { date }
    }

    fileprivate var isPlainDay: Bool {
        if case .tagged(1004, .text(let text)) = self { FullDateText(text)?.isValid == true } else { false }
    }

    /// Whether an entry has its three members in their right forms and no other.
    fileprivate var isPlainPrivilege: Bool {
        members.count == 3 && self["issue_date"]?.isPlainDay == true
            && self["expiry_date"]?.isPlainDay == true
    }
}

/// `YYYY-MM-DD` of a day that exists in every year.
private struct FullDateText {
    let isValid: Bool

    init?(_ text: [UInt8]) {
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else { return nil }
        let digits = [0, 1, 2, 3, 5, 6, 8, 9].map { Int(text[$0]) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy((0...9).contains) else { return nil }
        let (month, day) = (digits[4] * 10 + digits[5], digits[6] * 10 + digits[7])
        isValid = (1...12).contains(month) && (1...28).contains(day) && digits[0] > 0
    }
}
