public import Foundation

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
