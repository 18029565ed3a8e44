public import Foundation
internal import RequestPlanner

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
