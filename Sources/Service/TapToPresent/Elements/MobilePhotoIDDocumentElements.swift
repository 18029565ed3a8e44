public import Foundation

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
