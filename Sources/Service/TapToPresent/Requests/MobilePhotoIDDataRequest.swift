public import Foundation

/// Elements of a photo ID (ISO/IEC TS 23220-4 Annex C), for the app. Needs a session that was prepared with a reader
/// token.
public struct MobilePhotoIDDataRequest: MobileDocumentDataRequest {
    /// What can be asked of a photo ID.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentExpirationDate, documentIssueDate, documentNumber
        case familyName, givenName, issuingAuthority, portrait, sex
        /// Whether the holder is at least so many years old, 0 to 99; at most two such questions in one request.
        case ageAtLeast(Int)
    }

    /// The elements that are kept for an indefinite time; the holder is informed of this.
    public var retainedElements: [Element]
    /// What is kept only as long as processing it at once needs.
    public var nonRetainedElements: [Element]

    /// A request for these elements.
    public init(retainedElements: [Element] = [], nonRetainedElements: [Element] = []) {
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
    }
}

/// The same elements, answered as the phone sent them. Needs a session that was prepared with a reader token.
public struct MobilePhotoIDRawDataRequest: MobileDocumentRawDataRequest {
    /// The same as of the verified request.
    public typealias Element = MobilePhotoIDDataRequest.Element
    /// What the phone sent.
    public typealias Response = MobileDocumentRawDataResponse

    /// The elements that are kept for an indefinite time; the holder is informed of this.
    public var retainedElements: [Element]
    /// What is kept only as long as processing it at once needs.
    public var nonRetainedElements: [Element]
    /// The subject key identifiers of the issuers that are trusted; empty for all. A hint to wallets of extended
    /// requests: the answer is unverified all the same.
    public var issuerIdentifiers: [Data]

    /// A request for these elements.
    public init(
        retainedElements: [Element] = [], nonRetainedElements: [Element] = [], issuerIdentifiers: [Data] = []
    ) {
        self.retainedElements = retainedElements
        self.nonRetainedElements = nonRetainedElements
        self.issuerIdentifiers = issuerIdentifiers
    }
}

extension MobilePhotoIDDataRequest {
    /// The elements of a photo ID that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// What came of what was asked for.
        public let documentElements: DocumentElements
    }
}

extension MobilePhotoIDDataRequest.Response {
    /// Who issued a document.
    public typealias IssuingAuthority =
        MobileDriversLicenseDataRequest.Response.DocumentElements.IssuingAuthority
    /// As for driver's licenses.
    public typealias Sex = MobileDriversLicenseDataRequest.Response.DocumentElements.Sex

    /// What came of what was asked for, signed by the issuer. Nil or empty if the document has no such element, the
    /// holder did not return it, or its value is not of the form that the standard asks for.
    public struct DocumentElements: Hashable, Sendable {
        /// Family name, given name and suffix.
        public let nameComponents: PersonNameComponents?
        /// In years, when the document was issued.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by its years. An age that no element proves is missing.
        public let ageAtLeastElements: [Int: Bool]
        /// Without what the issuer marks as approximate.
        public let dateOfBirth: DateComponents?
        /// Since when the document is in date.
        public let documentIssueDate: DateComponents?
        /// Until when the document is in date.
        public let documentExpirationDate: DateComponents?
        /// Where the holder lives.
        public var address: PostalAddress?
        /// The bytes that the issuer signed as the portrait, which should be JPEG or JPEG 2000. They were not decoded and may be no
        /// image, or a broken one. Decode them as untrusted input.
        public let portraitData: Data?
        /// The document's own number.
        public let documentNumber: String?
        /// Who issued the document.
        public let issuingAuthority: IssuingAuthority?
        /// The holder's sex as given in the document.
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
    /// The type's name alone: what it holds is personal.
    public var description: String { "DocumentElements(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
