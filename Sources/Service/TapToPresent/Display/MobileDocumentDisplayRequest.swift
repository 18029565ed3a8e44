public import Foundation
internal import RequestPlanner

/// A request that shows the portrait and elements of one document to the operator. The options contain the
/// accepted document types. No element reaches the app.
public struct MobileDocumentDisplayRequest: MobileDocumentRequest {
    /// The elements that can be shown: the same elements as in a driver's license request.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// The operator's decision, of the same type as in a driver's license request.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// The options of the display.
    public struct Options: Hashable, Sendable {
        /// The question to the operator, of the same type as in a driver's license request.
        public typealias ValidationMode = MobileDriversLicenseDisplayRequest.Options.ValidationMode

        /// A document type that the request accepts.
        public enum DocumentType: Hashable, Sendable {
            /// A driver's license (ISO/IEC 18013-5), or a photo ID (ISO/IEC TS 23220-4).
            case driversLicense, photoID
            /// A national ID card of a supported region; see ``MobileNationalIDCardDisplayRequest``.
            case nationalIDCard(region: Locale.Region)
        }

        /// The accepted document types, in order of preference, each at most once.
        public var allowedDocumentTypes: [DocumentType]
        /// The question to the operator.
        public var validationMode: ValidationMode

        /// Creates options with the accepted document types and the question to the operator.
        public init(allowedDocumentTypes: [DocumentType], validationMode: ValidationMode) {
            self.allowedDocumentTypes = allowedDocumentTypes
            self.validationMode = validationMode
        }
    }

    /// The elements to show beside the portrait.
    public var elements: [Element]
    /// The options of the display.
    public var options: Options

    /// Creates a request for the given elements.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}

/// A request that shows the portrait and elements of a driver's license to the operator. No element reaches
/// the app.
public struct MobileDriversLicenseDisplayRequest: MobileDocumentRequest {
    /// An element that can be shown. Every display request also asks for the portrait.
    public enum Element: Hashable, Sendable {
        /// The age in years, the family name, or the given name.
        case age, familyName, givenName
        /// Whether the holder is at least the given number of years old, 0 to 99. A request can contain two
        /// such questions at most.
        case ageAtLeast(Int)
    }

    /// The options of the display.
    public struct Options: Hashable, Sendable {
        /// The question to the operator.
        public struct ValidationMode: Hashable, Sendable {
            private enum Kind { case check, checkMultiple, confirm }

            private let kind: Kind

            /// The mode for the only document of a session. The operator decides nothing and only continues.
            public static let check = ValidationMode(kind: .check)
            /// The mode for one of several documents in a session. The operator decides nothing and only
            /// continues.
            public static let checkMultiple = ValidationMode(kind: .checkMultiple)
            /// The mode in which the operator decides whether the person matches the document.
            public static let confirm = ValidationMode(kind: .confirm)
        }

        /// The question to the operator.
        public var validationMode: ValidationMode

        /// Creates options with the question to the operator.
        public init(validationMode: ValidationMode) {
            self.validationMode = validationMode
        }
    }

    /// The answer to a display request: the operator's decision, without any content of the document.
    public struct Response: Hashable, Sendable {
        /// The operator's decision.
        public enum ValidationOutcome: Hashable, Sendable {
            /// The operator confirmed that the person matches the document, and every requested age is
            /// proven.
            case approved
            /// The operator rejected the person, or the document says that the holder has not reached a
            /// requested age.
            case rejected
            /// No decision: the mode asks no question, the operator did not decide, the document does not
            /// prove or disprove a requested age, or no portrait was returned.
            case dismissed
        }

        /// The operator's decision.
        public let validationOutcome: ValidationOutcome
    }

    /// The elements to show beside the portrait.
    public var elements: [Element]
    /// The options of the display.
    public var options: Options

    /// Creates a request for the given elements.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}

/// A request that shows the portrait and elements of a national ID card to the operator. No element reaches
/// the app.
///
/// Only the region JP is supported. Its card is Japan's My Number Card, which contains the whole name in one
/// element.
public struct MobileNationalIDCardDisplayRequest: MobileDocumentRequest {
    /// The elements that can be shown: the same elements as in a driver's license request.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// The options of the display, of the same type as in a driver's license request.
    public typealias Options = MobileDriversLicenseDisplayRequest.Options
    /// The operator's decision, of the same type as in a driver's license request.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// The region that issued the card.
    public var region: Locale.Region
    /// The elements to show beside the portrait.
    public var elements: [Element]
    /// The options of the display.
    public var options: Options

    /// Creates a request for the given elements of a region's card.
    public init(region: Locale.Region, elements: [Element], options: Options) {
        self.region = region
        self.elements = elements
        self.options = options
    }
}

extension MobileDriversLicenseDisplayRequest {
    /// The document request that a session sends, made from these elements and options.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(showing: elements, options.validationMode, of: [.drivingLicence])
        }
    }
}

extension MobileNationalIDCardDisplayRequest {
    /// The document request that a session sends, made from these elements and options.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(
                showing: elements, options.validationMode, of: [DocumentFamily(nationalIDCardOf: region)])
        }
    }
}

extension DocumentFamily {
    /// Creates the document family of a region's national ID card. Only Japan is supported.
    fileprivate init(nationalIDCardOf region: Locale.Region) throws(MobileDocumentReaderError) {
        guard MobileNationalIDCardDisplayRequest.isSupportedRegion(region) else {
            throw .notSupported(.regionNotSupported)
        }
        self = .nationalIDCardOfJapan
    }
}

extension MobileDocumentDisplayRequest {
    /// The document request that a session sends, made from these elements and options.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(
                showing: elements, options.validationMode,
                of: options.allowedDocumentTypes.map { type throws(MobileDocumentReaderError) in
                    try type.document
                })
        }
    }
}

extension MobileDocumentRequestPlan where Response == MobileDriversLicenseDisplayRequest.Response {
    /// Creates the plan for elements that only the operator sees, with the portrait. The request states that
    /// no element is retained.
    fileprivate init(
        showing elements: [MobileDriversLicenseDisplayRequest.Element],
        _ mode: MobileDriversLicenseDisplayRequest.Options.ValidationMode, of documents: [DocumentFamily]
    ) throws(MobileDocumentReaderError) {
        try elements.checkEachOnce()
        let presentation = MobileDocumentPresentation(elements: elements, validationMode: mode)
        // A token is needed only if the app receives the elements. Here only the operator sees them.
        try self.init(
            needsToken: false,
            asking: documents.map { document throws(MobileDocumentReaderError) in
                try RequestPlan(
                    asking: [.portrait(isCompared: true)] + elements.map { $0.claim(of: document) },
                    of: document)
            },
            answer: .decided(on: presentation) { outcome in
                // The other modes ask no question, so their result contains no decision (`check`,
                // `checkMultiple`).
                Response(validationOutcome: mode == .confirm ? outcome : .dismissed)
            })
    }
}

extension MobileDocumentDisplayRequest.Options.DocumentType {
    /// The document family of the type. Throws if cards of the region are not supported.
    fileprivate var document: DocumentFamily {
        get throws(MobileDocumentReaderError) {
            switch self {
            case .driversLicense: .drivingLicence
            case .photoID: .photoID
            case .nationalIDCard(let region): try DocumentFamily(nationalIDCardOf: region)
            }
        }
    }
}

extension MobileDriversLicenseDisplayRequest.Element {
    /// Returns the claim to request. If a card has the whole name in one element, the whole name is requested
    /// instead of a family name or a given name.
    fileprivate func claim(of document: DocumentFamily) -> Claim {
        let hasWholeName = document == .nationalIDCardOfJapan
        return switch self {
        case .age: .named("age_in_years", in: document.mainNameSpace)
        case .ageAtLeast(let years): .ageOver(years)
        case .familyName where hasWholeName, .givenName where hasWholeName: .name
        case .familyName: .named("family_name", in: document.mainNameSpace)
        case .givenName: .named("given_name", in: document.mainNameSpace)
        }
    }
}
