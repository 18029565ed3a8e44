public import Foundation

/// A request for verified elements of a photo ID (ISO/IEC TS 23220-4 Annex C). Requires a session that was
/// prepared with a reader token.
public struct MobilePhotoIDDataRequest: MobileDocumentDataRequest {
    /// An element that can be requested of a photo ID.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentExpirationDate, documentIssueDate, documentNumber
        case familyName, givenName, issuingAuthority, portrait, sex
        /// Whether the holder is at least the given number of years old, 0 to 99. A request can contain two
        /// such questions at most.
        case ageAtLeast(Int)
    }

    /// The elements that the app stores for an indefinite time. The phone informs the holder of this.
    public var retainedElements: [Element]
    /// The elements that the app uses immediately and does not store.
    public var nonRetainedElements: [Element]

    /// Creates a request for the given elements.
    public init(retainedElements: [Element] = [], nonRetainedElements: [Element] = []) {
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
    }
}

/// A request for elements of a photo ID that returns the phone's answer unverified. Requires a session that
/// was prepared with a reader token.
public struct MobilePhotoIDRawDataRequest: MobileDocumentRawDataRequest {
    /// The elements that can be requested, as in ``MobilePhotoIDDataRequest``.
    public typealias Element = MobilePhotoIDDataRequest.Element
    /// The unverified answer of the phone.
    public typealias Response = MobileDocumentRawDataResponse

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
        retainedElements: [Element] = [], nonRetainedElements: [Element] = [], issuerIdentifiers: [Data] = []
    ) {
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
        self.issuerIdentifiers = issuerIdentifiers
    }
}

extension MobilePhotoIDDataRequest {
    /// The answer: elements of a photo ID that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// The requested elements that the phone returned.
        public let documentElements: DocumentElements
    }
}

extension MobilePhotoIDDataRequest.Response {
    /// The authority that issued a document.
    public typealias IssuingAuthority =
        MobileDriversLicenseDataRequest.Response.DocumentElements.IssuingAuthority
    /// The holder's sex, of the same type as in the response for a driver's license.
    public typealias Sex = MobileDriversLicenseDataRequest.Response.DocumentElements.Sex

    /// The requested elements that the phone returned and the issuer signed. A member is `nil` or empty if
    /// the document has no such element, the holder did not return it, or its value does not have the
    /// standard's format.
    public struct DocumentElements: Hashable, Sendable {
        /// The family name and given name.
        public let nameComponents: PersonNameComponents?
        /// The holder's age in years when the document was issued.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by years. A question is missing here if no element of the
        /// document answers it.
        public let ageAtLeastElements: [Int: Bool]
        /// The holder's birth date, without the parts that the issuer marks as approximate.
        public let dateOfBirth: DateComponents?
        /// The date from which the document is valid.
        public let documentIssueDate: DateComponents?
        /// The date on which the document expires.
        public let documentExpirationDate: DateComponents?
        /// The holder's address.
        public var address: PostalAddress?
        /// The portrait as the issuer signed it, normally JPEG or JPEG 2000. The bytes have not been decoded
        /// and may not be a valid image: decode them as untrusted input.
        public let portraitData: Data?
        /// The number of the document.
        public let documentNumber: String?
        /// The authority that issued the document.
        public let issuingAuthority: IssuingAuthority?
        /// The holder's sex as the document states it.
        public let sex: Sex?

        init(_ read: ReadDocument) {
            let elements = ElementReader(read)
            nameComponents = elements.name(suffix: nil)
            age = elements.age
            ageAtLeastElements = elements.agesAtLeast
            dateOfBirth = elements.birthDate
            documentIssueDate = elements.date("issue_date")
            documentExpirationDate = elements.date("expiry_date")
            address = elements.address
            portraitData = elements.portrait
            documentNumber = elements.text("document_number")
            issuingAuthority = elements.issuingAuthority(jurisdiction: "issuing_subdivision")
            sex = elements.sex
        }
    }
}

extension MobilePhotoIDDataRequest.Response.DocumentElements: CustomStringConvertible, CustomReflectable {
    /// A fixed text, because the elements are personal data.
    public var description: String { "DocumentElements(redacted)" }
    /// A mirror without children, because the elements are personal data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
