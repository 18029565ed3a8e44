public import Foundation
internal import RequestPlanner

/// Elements of a national ID card, for the app. Needs a session that was prepared with a reader token.
///
/// The region JP is supported: the My Number Card of Japan.
public struct MobileNationalIDCardDataRequest: MobileDocumentDataRequest {
    /// What can be asked of a national ID card.
    public enum Element: Hashable, Sendable {
        case age, dateOfBirth, documentNumber, familyName, givenName, portrait, sex
        /// Whether the holder is at least so many years old, 0 to 99; at most two such questions in one request.
        case ageAtLeast(Int)
    }

    /// The region that issued the card.
    public var region: Locale.Region
    /// The elements that are kept for an indefinite time; the holder is informed of this.
    public var retainedElements: [Element]
    /// What is kept only as long as processing it at once needs.
    public var nonRetainedElements: [Element]

    /// A request for these elements.
    public init(
        region: Locale.Region, retainedElements: [Element] = [], nonRetainedElements: [Element] = []
    ) {
        self.region = region
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
    }

    /// Whether the cards of a region can be asked for. Others are refused with `notSupported` before anything is asked.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool { region == .japan }
}

/// The elements and the address, answered as the phone sent them. Needs a session that was prepared with a reader
/// token.
public struct MobileNationalIDCardRawDataRequest: MobileDocumentRawDataRequest {
    /// What the phone sent.
    public typealias Response = MobileDocumentRawDataResponse

    /// What can be asked of a national ID card.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentNumber, familyName, givenName, portrait, sex
        /// Whether the holder is at least so many years old, 0 to 99; at most two such questions in one request.
        case ageAtLeast(Int)
    }

    /// The region that issued the card.
    public var region: Locale.Region
    /// The elements that are kept for an indefinite time; the holder is informed of this.
    public var retainedElements: [Element]
    /// What is kept only as long as processing it at once needs.
    public var nonRetainedElements: [Element]
    /// The subject key identifiers of the issuers that are trusted; empty for all. A hint to wallets of extended
    /// requests: the answer is unverified all the same.
    public var issuerIdentifiers: [Data]

    /// A request for these elements.
    public init(
        region: Locale.Region, retainedElements: [Element] = [], nonRetainedElements: [Element] = [],
        issuerIdentifiers: [Data] = []
    ) {
        self.region = region
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
        self.issuerIdentifiers = issuerIdentifiers
    }

    /// Whether the cards of a region can be asked for. Others are refused with `notSupported` before anything is asked.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool {
        MobileNationalIDCardDataRequest.isSupportedRegion(region)
    }
}

extension MobileNationalIDCardDataRequest {
    /// The elements of a national ID card that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// The region that was asked for.
        public let region: Locale.Region
        /// What came of what was asked for.
        public let documentElements: DocumentElements
    }
}

extension MobileNationalIDCardDataRequest.Response {
    /// As for driver's licenses.
    public typealias Sex = MobileDriversLicenseDataRequest.Response.DocumentElements.Sex

    /// What came of what was asked for, signed by the issuer. Nil or empty if the card has no such element, the
    /// holder did not return it, or its value is not of the form that the standard asks for.
    public struct DocumentElements: Hashable, Sendable {
        /// Family name and given name. Where the card's text has no space between them, all of it is the family name.
        public let nameComponents: PersonNameComponents?
        /// In years.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by its years. An age that no element proves is missing.
        public let ageAtLeastElements: [Int: Bool]
        /// The holder's birth date.
        public let dateOfBirth: DateComponents?
        /// The bytes that the issuer signed as the portrait, which should be JPEG or JPEG 2000. They were not decoded and may be no
        /// image, or a broken one. Decode them as untrusted input.
        public let portraitData: Data?
        /// The individual number. Its use is limited by law in Japan.
        public let documentNumber: String?
        /// The holder's sex as given in the card.
        public let sex: Sex?

        init(_ read: ReadDocument) {
            let elements = ElementReader(read)
            let japanese = ElementReader(read, nameSpace: DocumentFamily.japaneseNameSpace)
            nameComponents = japanese.fullName
            age = elements.age
            ageAtLeastElements = elements.agesAtLeast
            dateOfBirth = elements.birthDate
            portraitData = elements.portrait
            documentNumber = japanese.text("individual_number_unicode")
            sex = elements.sex
        }
    }
}

extension MobileNationalIDCardDataRequest.Response.DocumentElements: CustomStringConvertible,
    CustomReflectable
{
    /// The type's name alone: what it holds is personal.
    public var description: String { "DocumentElements(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MobileNationalIDCardDataRequest: DocumentElementsRequest {
    var isSupported: Bool { Self.isSupportedRegion(region) }

    var answer: MobileDocumentRequestPlan<Response>.Answer {
        .verified { [region] in Response(region: region, documentElements: Response.DocumentElements($0)) }
    }
}

extension MobileNationalIDCardRawDataRequest: DocumentElementsRequest {
    var isSupported: Bool { Self.isSupportedRegion(region) }
}

extension MobileNationalIDCardDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .nationalIDCardOfJapan }

    var claims: [Claim] {
        switch self {
        case .age: [.named("age_in_years", in: Self.document.mainNameSpace)]
        case .ageAtLeast(let years): [.ageOver(years)]
        case .dateOfBirth: [.birthDate]
        case .documentNumber: [.documentNumber]
        // The card has the whole name in one element.
        case .familyName, .givenName: [.name]
        case .portrait: [.portrait(isCompared: true)]
        case .sex: [.named("sex", in: Self.document.mainNameSpace)]
        }
    }
}

extension MobileNationalIDCardRawDataRequest.Element: RequestedElement {
    static var document: DocumentFamily { .nationalIDCardOfJapan }

    var claims: [Claim] {
        switch self {
        case .address:
            [.address, .named("local_gov_code_unicode", in: DocumentFamily.japaneseNameSpace)]
        case .age: Verified.age.claims
        case .ageAtLeast(let years): Verified.ageAtLeast(years).claims
        case .dateOfBirth: Verified.dateOfBirth.claims
        case .documentNumber: Verified.documentNumber.claims
        case .familyName: Verified.familyName.claims
        case .givenName: Verified.givenName.claims
        case .portrait: Verified.portrait.claims
        case .sex: Verified.sex.claims
        }
    }

    private typealias Verified = MobileNationalIDCardDataRequest.Element
}

extension MobileNationalIDCardDisplayRequest {
    /// Whether the cards of a region can be asked for. Others are refused with `notSupported` before anything is asked.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool {
        MobileNationalIDCardDataRequest.isSupportedRegion(region)
    }
}
