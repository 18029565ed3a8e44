public import Foundation
internal import RequestPlanner

/// A request for verified elements of a driver's license (ISO/IEC 18013-5 7.2.1 and AAMVA's guidelines).
/// Requires a session that was prepared with a reader token.
public struct MobileDriversLicenseDataRequest: MobileDocumentDataRequest {
    /// An element that can be requested of a driver's license.
    public enum Element: Hashable, Sendable {
        case address, age, dateOfBirth, documentDHSComplianceStatus, documentExpirationDate
        case documentIssueDate, documentNumber, drivingPrivileges, eyeColor, familyName, givenName
        case hairColor, height, issuingAuthority, organDonorStatus, portrait, sex, veteranStatus, weight
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

/// A request for elements of a driver's license that returns the phone's answer unverified. Requires a
/// session that was prepared with a reader token.
public struct MobileDriversLicenseRawDataRequest: MobileDocumentRawDataRequest {
    /// The elements that can be requested, as in ``MobileDriversLicenseDataRequest``.
    public typealias Element = MobileDriversLicenseDataRequest.Element
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

extension MobileDriversLicenseDataRequest {
    /// The answer: elements of a driver's license that passed every check.
    public struct Response: MobileDocumentDataResponse {
        /// The requested elements that the phone returned.
        public let documentElements: DocumentElements
    }
}

extension MobileDriversLicenseDataRequest.Response {
    /// The requested elements that the phone returned and the issuer signed. A member is `nil` or empty if
    /// the document has no such element, the holder did not return it, or its value does not have the
    /// standard's format.
    public struct DocumentElements: Hashable, Sendable {
        /// The family name, given name and suffix.
        public let nameComponents: PersonNameComponents?
        /// The holder's age in years when the license was issued.
        public let age: Int?
        /// The answers to `ageAtLeast(_:)`, by years. A question is missing here if no element of the
        /// document answers it.
        public let ageAtLeastElements: [Int: Bool]
        /// The holder's birth date.
        public let dateOfBirth: DateComponents?
        /// The date from which the license is valid.
        public let documentIssueDate: DateComponents?
        /// The date on which the license expires.
        public let documentExpirationDate: DateComponents?
        /// The holder's address.
        public var address: PostalAddress?
        /// The portrait as the issuer signed it, normally JPEG or JPEG 2000. The bytes have not been decoded
        /// and may not be a valid image: decode them as untrusted input.
        public let portraitData: Data?
        /// The number of the license.
        public let documentNumber: String?
        /// The authority that issued the license.
        public let issuingAuthority: IssuingAuthority?
        /// The holder's sex as the document states it.
        public let sex: Sex?
        /// Whether the license may be used for federal purposes in the United States (REAL ID).
        public let documentDHSComplianceStatus: DocumentDHSComplianceStatus?
        /// The vehicle categories that the holder may drive (ISO/IEC 18013-5 7.2.4).
        public let drivingPrivileges: [DrivingPrivilege]?
        /// The privileges by the rules of a North American state (AAMVA).
        public let aamvaDrivingPrivileges: [AAMVADrivingPrivilege]?
        /// The color of the eyes.
        public let eyeColor: EyeColor?
        /// The color of the hair.
        public let hairColor: HairColor?
        /// The holder's height, in whole centimeters from 1 to 300.
        public let height: Measurement<UnitLength>?
        /// The holder's weight, in whole kilograms from 1 to 700.
        public let weight: Measurement<UnitMass>?
        /// `true` if the license says that the holder is an organ donor, otherwise `nil`. No license says the
        /// opposite.
        public let isOrganDonor: Bool?
        /// `true` if the license says that the holder is a veteran, otherwise `nil`. No license says the
        /// opposite.
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
            // The sex is requested in both namespaces. The value in the ISO namespace takes precedence.
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
    /// A fixed text, because the elements are personal data.
    public var description: String { "DocumentElements(redacted)" }
    /// A mirror without children, because the elements are personal data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
