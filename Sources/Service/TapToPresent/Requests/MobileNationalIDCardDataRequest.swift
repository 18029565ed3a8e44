public import Foundation

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
