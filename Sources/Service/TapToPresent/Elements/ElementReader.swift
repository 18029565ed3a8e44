internal import CBOR
internal import Foundation
internal import MdocModel
internal import MdocVerification
internal import PortraitDecoding
internal import ReaderService
internal import Reports
internal import RequestPlanner

/// A reader of the issuer-signed elements in one namespace of a document. A value that does not have the
/// element's format is read as `nil`.
struct ElementReader {
    private let read: ReadDocument
    private let nameSpace: String

    /// Creates a reader for a namespace; `nil` selects the document type's main namespace.
    init(_ read: ReadDocument, nameSpace: String? = nil) {
        self.read = read
        self.nameSpace = nameSpace ?? read.type.mainNameSpace
    }

    /// Returns the value of the element. If the document lacks the element, returns the value of the first
    /// element that the planner may request instead.
    func value(_ identifier: String) -> CBORItem? {
        let asked = ElementName(nameSpace: nameSpace, identifier: identifier)
        for name in [asked] + (read.type.substitutes[asked] ?? []).joined() {
            let element = read.document.elements.first { $0.name == name && $0.signedBy == .issuer }
            if let element { return element.value }
        }
        return nil
    }

    /// Returns the value of the element if it is a text.
    func text(_ identifier: String) -> String? {
        value(identifier).flatMap { try? $0.text() }
    }

    /// Returns the value of the element if it is a whole number in the range.
    func number(_ identifier: String, in range: ClosedRange<Int>) -> Int? {
        guard let number = value(identifier).flatMap({ try? $0.integer() }),
            let number = Int(exactly: number),
            range.contains(number)
        else { return nil }
        return number
    }

    /// Reads a flag of AAMVA's namespace. Such a flag is 1 or missing, so the result is `true` or `nil`.
    func flag(_ identifier: String) -> Bool? {
        number(identifier, in: 1...1).map { _ in true }
    }

    /// Returns the meaning of the element's code, or `nil` for a code that is not in `codes`.
    func code<Code>(_ identifier: String, in codes: [String: Code]) -> Code? {
        text(identifier).flatMap { codes[$0] }
    }

    /// Returns the value of the element if it is a date, or a time in UTC.
    func date(_ identifier: String) -> DateComponents? {
        value(identifier).flatMap { try? DateText($0) }.map { DateComponents($0) }
    }
}

extension ElementReader {
    var age: Int? { number("age_in_years", in: 0...200) }

    var portrait: Data? { read.document.portrait.map { Data($0) } }

    /// The answers to the requested age questions, by years. An age is missing if its answer is unknown.
    var agesAtLeast: [Int: Bool] {
        var answers: [Int: Bool] = [:]
        for question in read.report.questions {
            guard case .ageOver(let years, _) = question.subject else { continue }
            // The answer comes from this document alone. The report's answer would cover all documents of the
            // response.
            switch ReasonedAnswer(question, by: read.document).word {
            case .yes: answers[years] = true
            case .no: answers[years] = false
            case .unknown: continue
            }
        }
        return answers
    }

    /// Returns the name, or `nil` if the document has neither a family name nor a given name.
    func name(suffix: String?) -> PersonNameComponents? {
        let (family, given) = (text("family_name"), text("given_name"))
        guard family != nil || given != nil else { return nil }
        var name = PersonNameComponents()
        name.familyName = family
        name.givenName = given
        name.nameSuffix = suffix
        return name
    }

    /// The name from an element that contains the whole name, family name first. If the text contains no
    /// space, the whole text is the family name, since nothing shows where the given name begins.
    var fullName: PersonNameComponents? {
        guard let parts = text("full_name_unicode")?.split(maxSplits: 1, whereSeparator: \.isWhitespace),
            let family = parts.first
        else { return nil }
        var name = PersonNameComponents()
        name.familyName = String(family)
        name.givenName = parts.count > 1 ? String(parts[1]) : nil
        return name
    }

    /// The address, or `nil` if the document has no part of one.
    var address: PostalAddress? {
        var address = PostalAddress()
        address.street = text("resident_address") ?? ""
        address.city = text("resident_city") ?? ""
        address.state = text("resident_state") ?? ""
        address.postalCode = text("resident_postal_code") ?? ""
        address.isoCountryCode = text("resident_country") ?? ""
        return address == PostalAddress() ? nil : address
    }

    /// Returns the authority, or `nil` if the document has no element about the authority.
    ///
    /// - Parameter jurisdiction: The element with the state or province, whose name depends on the document
    ///   type.
    func issuingAuthority(
        jurisdiction: String
    ) -> MobileDriversLicenseDataRequest.Response.DocumentElements.IssuingAuthority? {
        let (name, jurisdiction) = (text("issuing_authority"), text(jurisdiction))
        let country = text("issuing_country")
        guard name != nil || jurisdiction != nil || country != nil else { return nil }
        return .init(name: name, jurisdiction: jurisdiction, isoCountryCode: country)
    }

    /// The codes that have the same meaning in ISO/IEC 5218 and AAMVA's guidelines. The code 9 is missing,
    /// because the two standards define it differently.
    private static let sexes: [Int: MobileDriversLicenseDataRequest.Response.DocumentElements.Sex] = [
        0: .unknown, 1: .male, 2: .female,
    ]

    /// The sex by ISO/IEC 5218.
    var sex: MobileDriversLicenseDataRequest.Response.DocumentElements.Sex? {
        number("sex", in: 0...9).flatMap { $0 == 9 ? .notApplicable : Self.sexes[$0] }
    }

    /// The sex by AAMVA's codes.
    var aamvaSex: MobileDriversLicenseDataRequest.Response.DocumentElements.Sex? {
        number("sex", in: 1...9).flatMap { $0 == 9 ? .notSpecified : Self.sexes[$0] }
    }

    /// A photo ID's birth date, which is a date, or a map with a date and a mask of the approximate digits
    /// (ISO/IEC TS 23220-2). Year, month or day are missing if any of their digits is approximate.
    var birthDate: DateComponents? {
        guard let map = value("birth_date").flatMap({ try? $0.map() }) else { return date("birth_date") }
        guard let day = map["birth_date"].flatMap({ try? DateText($0) })?.day else { return nil }
        guard let mask = map["approximate_mask"] else { return DateComponents(day) }
        guard let digits = (try? mask.text()).map({ Array($0.utf8) }), digits.count == 8,
            digits.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: "1") })
        else { return nil }
        // The mask has one digit for each digit of YYYYMMDD: 0 for a known one, 1 for an approximate one.
        func isKnown(_ places: Range<Int>) -> Bool { digits[places].allSatisfy { $0 == UInt8(ascii: "0") } }
        return DateComponents(
            year: isKnown(0..<4) ? day.year : nil, month: isKnown(4..<6) ? day.month : nil,
            day: isKnown(6..<8) ? day.day : nil)
    }
}

extension DateComponents {
    fileprivate init(_ day: FullDate) {
        self.init(year: day.year, month: day.month, day: day.day)
    }

    /// Creates the components of a date without time zone, or of an instant in UTC.
    init(_ date: DateText) {
        self.init(date.day)
        guard case .instant(let instant) = date.value else { return }
        let second = Int(instant.secondsSince1970 - date.day.startInUTC.secondsSince1970)
        timeZone = TimeZone(secondsFromGMT: 0)
        (hour, minute) = (second / 3600, second / 60 % 60)
        self.second = second % 60
    }
}

extension ElementReader {
    typealias Elements = MobileDriversLicenseDataRequest.Response.DocumentElements

    /// The driving privileges, or `nil` if one entry is malformed, because an incomplete list could lack an
    /// entry's restrictions.
    var drivingPrivileges: [Elements.DrivingPrivilege]? {
        let list = value("driving_privileges").flatMap { try? DrivingPrivilege.list($0) }
        return list?.map { entry in
            Elements.DrivingPrivilege(
                vehicleCategoryCode: entry.vehicleCategoryCode,
                issueDate: entry.issueDate.map { DateComponents($0) },
                expirationDate: entry.expiryDate.map { DateComponents($0) },
                // Every restriction of an ISO entry has a code. `code` is optional only for AAMVA's entries.
                codes: entry.codes.compactMap { restriction in
                    restriction.code.map { .init(code: $0, sign: restriction.sign, value: restriction.value) }
                })
        }
    }

    /// The privileges in AAMVA's format, or `nil` if one entry is malformed.
    var aamvaDrivingPrivileges: [Elements.AAMVADrivingPrivilege]? {
        let list = value("domestic_driving_privileges").flatMap { try? DomesticDrivingPrivilege.list($0) }
        return list?.map { entry in
            Elements.AAMVADrivingPrivilege(
                vehicleClass: entry.vehicleClass.map { vehicle in
                    .init(
                        code: vehicle.code, description: vehicle.description ?? "",
                        issueDate: vehicle.issueDate.map { DateComponents($0) },
                        expirationDate: vehicle.expiryDate.map { DateComponents($0) })
                },
                vehicleEndorsements: entry.endorsements.map {
                    .init(code: $0.code, description: $0.value ?? "")
                },
                vehicleRestrictions: entry.restrictions.map {
                    .init(code: $0.code, description: $0.value ?? "")
                })
        }
    }
}

/// A verified document, with the plan that requested it and the report on the response.
struct ReadDocument {
    let document: VerifiedDocument
    let type: DocumentType
    let plan: RequestPlan
    let showing: ResultShowing
    /// Whether a test issuer signed the document.
    let isTest: Bool
    /// The report on the response, with the answers to the questions of `plan`.
    private(set) var report: TransactionReport

    /// The evidence for the outcome of a display request, without the operator's decision.
    var evidence: Conclusion.Evidence { Conclusion.Evidence(report, asksPerson: true) }

    /// The portrait, or `nil` if a person cannot compare it with a face. Meaningful only after
    /// `decodePortrait(by:)`.
    var comparablePortrait: ArraySlice<UInt8>? {
        portraitAnswer?.word == .yes ? document.comparablePortrait : nil
    }

    /// Whether there is a portrait to compare, and the reason if there is none. `nil` if the request did not
    /// ask for a portrait.
    var portraitAnswer: ReasonedAnswer? {
        report.documents.first { $0.verified?.docType == document.docType }?
            .answers.first { $0.subject == .portrait }?.answer
    }

    /// Decodes the portrait. If this fails, the answer `portrait` of the report becomes unknown.
    mutating func decodePortrait(by decoder: PortraitDecoder?) async {
        await report.decodePortraits(by: decoder)
    }
}

extension ReadDocument {
    /// Finds the requested document in the result of a presentation. Throws if the result was not verified.
    ///
    /// - Parameters:
    ///   - choices: The plans of the request, in order of preference. The first plan with a document in the
    ///     response is used.
    ///   - day: The day of the read in the time zone of the premises (Q161).
    init(
        _ presentation: Presentation, choices: [RequestPlan], on day: FullDate, showing: ResultShowing
    ) throws(MobileDocumentReaderError) {
        guard case .success(let judgement) = presentation.result, case .verified(let response) = judgement,
            response.basis.policy.accepts(response)
        else {
            throw MobileDocumentReaderError(withoutAnswer: presentation.result)
        }
        for plan in choices {
            for type in plan.intent.documents.flatMap(\.types) {
                guard let document = response.documents.first(where: { $0.docType == type.docType })
                else { continue }
                self.init(
                    document: document, type: type, plan: plan, showing: showing,
                    isTest: judgement.basis.policy.hasTestDocument(response.reports),
                    // `requestCompared`: the transaction has compared the response with its request.
                    report: TransactionReport(
                        judgement, expecting: plan.expectation(on: day), requestCompared: true))
                return
            }
        }
        throw .unknown(.internalFault)
    }
}
