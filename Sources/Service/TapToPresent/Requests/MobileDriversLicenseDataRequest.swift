public import Foundation
internal import RequestPlanner

/// Elements of a driver's license, for the app (ISO/IEC 18013-5 7.2.1 and AAMVA's guidelines). Needs a session that was
/// prepared with a reader token.
public struct MobileDriversLicenseDataRequest: MobileDocumentDataRequest {
    /// What can be asked of a driver's license.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentDHSComplianceStatus, documentExpirationDate
        case documentIssueDate, documentNumber, drivingPrivileges, eyeColor, familyName, givenName
        case hairColor, height, issuingAuthority, organDonorStatus, portrait, sex, veteranStatus, weight
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
public struct MobileDriversLicenseRawDataRequest: MobileDocumentRawDataRequest {
    /// The same as of the verified request.
    public typealias Element = MobileDriversLicenseDataRequest.Element
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

extension MobileDriversLicenseDataRequest {
    /// The elements of a driver's license that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// What came of what was asked for.
        public let documentElements: DocumentElements
    }
}

extension MobileDriversLicenseDataRequest.Response {
    /// What came of what was asked for, signed by the issuer. Nil or empty if the license has no such element, the
    /// holder did not return it, or its value is not of the form that the standard asks for.
    public struct DocumentElements: Hashable, Sendable {
        /// Family name, given name and suffix.
        public let nameComponents: PersonNameComponents?
        /// In years, when the license was issued.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by its years. An age that no element proves is missing.
        public let ageAtLeastElements: [Int: Bool]
        /// The holder's birth date.
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
        /// Whether the license serves federal purposes.
        public let documentDHSComplianceStatus: DocumentDHSComplianceStatus?
        /// Vehicle categories (ISO/IEC 18013-5 7.2.4).
        public let drivingPrivileges: [DrivingPrivilege]?
        /// Classes of a North American state (AAMVA).
        public let aamvaDrivingPrivileges: [AAMVADrivingPrivilege]?
        /// The color of the eyes.
        public let eyeColor: EyeColor?
        /// The color of the hair.
        public let hairColor: HairColor?
        /// To the centimeter.
        public let height: Measurement<UnitLength>?
        /// To the kilogram.
        public let weight: Measurement<UnitMass>?
        /// True where the license says so; it never says no.
        public let isOrganDonor: Bool?
        /// True where the license says so; it never says no.
        public let isVeteran: Bool?

        init(_ read: ReadDocument) {
            let elements = ElementReader(read)
            let aamva = ElementReader(read, nameSpace: DocumentFamily.aamvaNameSpace)
            nameComponents = elements.name(suffix: aamva.text("name_suffix"))
            age = elements.age
            ageAtLeastElements = elements.agesAtLeast
            dateOfBirth = elements.date("birth_date")
            documentIssueDate = elements.date("issue_date")
            documentExpirationDate = elements.date("expiry_date")
            address = elements.address
            portraitData = elements.portrait
            documentNumber = elements.text("document_number")
            issuingAuthority = elements.issuingAuthority(jurisdiction: "issuing_jurisdiction")
            sex = elements.sex ?? aamva.aamvaSex
            documentDHSComplianceStatus = aamva.code("DHS_compliance", in: DocumentDHSComplianceStatus.codes)
            drivingPrivileges = elements.drivingPrivileges
            aamvaDrivingPrivileges = aamva.aamvaDrivingPrivileges
            eyeColor = elements.code("eye_colour", in: EyeColor.codes)
            hairColor = elements.code("hair_colour", in: HairColor.codes)
            height = elements.number("height", in: 1...300).map {
                Measurement(value: Double($0), unit: .centimeters)
            }
            weight = elements.number("weight", in: 1...700).map {
                Measurement(value: Double($0), unit: .kilograms)
            }
            isOrganDonor = aamva.flag("organ_donor")
            isVeteran = aamva.flag("veteran")
        }
    }
}

extension MobileDriversLicenseDataRequest.Response.DocumentElements: CustomStringConvertible,
    CustomReflectable
{
    /// The type's name alone: what it holds is personal.
    public var description: String { "DocumentElements(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
