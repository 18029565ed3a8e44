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
