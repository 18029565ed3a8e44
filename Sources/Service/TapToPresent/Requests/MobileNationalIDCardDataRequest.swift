public import Foundation
internal import RequestPlanner

/// A request for verified elements of a national ID card. Requires a session that was prepared with a reader
/// token.
///
/// The region JP is supported: the My Number Card of Japan.
public struct MobileNationalIDCardDataRequest: MobileDocumentDataRequest {
    /// An element that can be requested of a national ID card.
    public enum Element: Hashable, Sendable {
        case age, dateOfBirth, documentNumber, familyName, givenName, portrait, sex
        /// Whether the holder is at least the given number of years old, 0 to 99. A request can contain two
        /// such questions at most.
        case ageAtLeast(Int)
    }

    /// The region that issued the card.
    public var region: Locale.Region
    /// The elements that the app stores for an indefinite time. The phone informs the holder of this.
    public var retainedElements: [Element]
    /// The elements that the app uses immediately and does not store.
    public var nonRetainedElements: [Element]

    /// Creates a request for the given elements.
    public init(
        region: Locale.Region, retainedElements: [Element] = [], nonRetainedElements: [Element] = []
    ) {
        self.region = region
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
    }

    /// Whether cards of the region can be requested. A request for another region throws `notSupported`
    /// before a phone is contacted.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool { region == .japan }
}

/// A request for elements of a national ID card, including the address, that returns the phone's answer
/// unverified. Requires a session that was prepared with a reader token.
public struct MobileNationalIDCardRawDataRequest: MobileDocumentRawDataRequest {
    /// The unverified answer of the phone.
    public typealias Response = MobileDocumentRawDataResponse

    /// An element that can be requested of a national ID card.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentNumber, familyName, givenName, portrait, sex
        /// Whether the holder is at least the given number of years old, 0 to 99. A request can contain two
        /// such questions at most.
        case ageAtLeast(Int)
    }

    /// The region that issued the card.
    public var region: Locale.Region
    /// The elements that the app stores for an indefinite time. The phone informs the holder of this.
    public var retainedElements: [Element]
    /// The elements that the app uses immediately and does not store.
    public var nonRetainedElements: [Element]
    /// The subject key identifiers of the accepted issuers; empty for all issuers. Only wallets that support
    /// extended requests use the identifiers. The answer is returned unverified even if identifiers are
    /// given.
    public var issuerIdentifiers: [Data]

    /// Creates a request for the given elements.
    public init(
        region: Locale.Region, retainedElements: [Element] = [], nonRetainedElements: [Element] = [],
        issuerIdentifiers: [Data] = []
    ) {
        self.region = region
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
        self.issuerIdentifiers = issuerIdentifiers
    }

    /// Whether cards of the region can be requested. A request for another region throws `notSupported`
    /// before a phone is contacted.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool {
        MobileNationalIDCardDataRequest.isSupportedRegion(region)
    }
}

extension MobileNationalIDCardDataRequest {
    /// The answer: elements of a national ID card that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// The region in the request.
        public let region: Locale.Region
        /// The requested elements that the phone returned.
        public let documentElements: DocumentElements
    }
}

extension MobileNationalIDCardDataRequest.Response {
    /// The holder's sex, of the same type as in the response for a driver's license.
    public typealias Sex = MobileDriversLicenseDataRequest.Response.DocumentElements.Sex

    /// The requested elements that the phone returned and the issuer signed. A member is `nil` or empty if
    /// the document has no such element, the holder did not return it, or its value does not have the
    /// standard's format.
    public struct DocumentElements: Hashable, Sendable {
        /// The family name and given name. If the card's text contains no space between them, the whole text
        /// is the family name.
        public let nameComponents: PersonNameComponents?
        /// The holder's age in years.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by years. A question is missing here if no element of the
        /// document answers it.
        public let ageAtLeastElements: [Int: Bool]
        /// The holder's birth date.
        public let dateOfBirth: DateComponents?
        /// The portrait as the issuer signed it, normally JPEG or JPEG 2000. The bytes have not been decoded
        /// and may not be a valid image: decode them as untrusted input.
        public let portraitData: Data?
        /// The individual number (My Number). Japanese law limits its use.
        public let documentNumber: String?
        /// The holder's sex as the document states it.
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
    /// A fixed text, because the elements are personal data.
    public var description: String { "DocumentElements(redacted)" }
    /// A mirror without children, because the elements are personal data.
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
        // The card contains the whole name in one element.
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
        // The other elements have the same claims as in the request for verified elements.
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
    /// Whether cards of the region can be requested. A request for another region throws `notSupported`
    /// before a phone is contacted.
    public static func isSupportedRegion(_ region: Locale.Region) -> Bool {
        MobileNationalIDCardDataRequest.isSupportedRegion(region)
    }
}
