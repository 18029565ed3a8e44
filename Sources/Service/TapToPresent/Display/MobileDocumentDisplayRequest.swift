public import Foundation
internal import RequestPlanner

/// Shows the operator elements and the portrait of one document, of any of several kinds that the holder has. None of
/// them reaches the app.
public struct MobileDocumentDisplayRequest: MobileDocumentRequest {
    /// As for driver's licenses.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// As for driver's licenses.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// How the result is shown.
    public struct Options: Hashable, Sendable {
        /// As for driver's licenses.
        public typealias ValidationMode = MobileDriversLicenseDisplayRequest.Options.ValidationMode

        /// A kind of document that is accepted.
        public enum DocumentType: Hashable, Sendable {
            case driversLicense, photoID
            /// Of a supported region; see ``MobileNationalIDCardDisplayRequest``.
            case nationalIDCard(region: Locale.Region)
        }

        /// In order of preference; none twice.
        public var allowedDocumentTypes: [DocumentType]
        /// What the operator is asked.
        public var validationMode: ValidationMode

        /// Options with these kinds of documents and this mode.
        public init(allowedDocumentTypes: [DocumentType], validationMode: ValidationMode) {
            self.allowedDocumentTypes = allowedDocumentTypes
            self.validationMode = validationMode
        }
    }

    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these elements.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}

/// Shows the operator elements of a driver's license, with its portrait. None of them reaches the app.
public struct MobileDriversLicenseDisplayRequest: MobileDocumentRequest {
    /// What can be shown. The portrait comes on its own.
    public enum Element: Hashable, Sendable {
        case age, familyName, givenName
        /// Whether the holder is at least so many years old, 0 to 99; at most two such questions in one request.
        case ageAtLeast(Int)
    }

    /// How the result is shown.
    public struct Options: Hashable, Sendable {
        /// What the operator is asked.
        public struct ValidationMode: Hashable, Sendable {
            private enum Kind { case check, checkMultiple, confirm }

            private let kind: Kind

            /// To continue, after the one document.
            public static let check = ValidationMode(kind: .check)
            /// To continue, after one of several documents in a session.
            public static let checkMultiple = ValidationMode(kind: .checkMultiple)
            /// To state a decision: does the person match?
            public static let confirm = ValidationMode(kind: .confirm)
        }

        /// What the operator is asked.
        public var validationMode: ValidationMode

        /// A request for these.
        public init(validationMode: ValidationMode) {
            self.validationMode = validationMode
        }
    }

    /// The result of a display request: the operator's decision, and nothing of the document.
    public struct Response: Hashable, Sendable {
        /// What the operator decided.
        public enum ValidationOutcome: Hashable, Sendable {
            /// The operator said that the person matches, and every age that was asked about is proven.
            case approved
            /// The operator said no, or the answer to an age is no.
            case rejected
            /// Neither: nothing was asked, nobody answered, the document does not say an age, or no portrait came.
            case dismissed
        }

        /// What the operator decided.
        public let validationOutcome: ValidationOutcome
    }

    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these.
    public init(elements: [Element], options: Options) {
        self.elements = elements
        self.options = options
    }
}

/// Shows the operator elements of a national ID card, with its portrait. None of them reaches the app.
///
/// The region JP is supported: the My Number Card of Japan, which has the whole name in one element.
public struct MobileNationalIDCardDisplayRequest: MobileDocumentRequest {
    /// As for driver's licenses.
    public typealias Element = MobileDriversLicenseDisplayRequest.Element
    /// As for driver's licenses.
    public typealias Options = MobileDriversLicenseDisplayRequest.Options
    /// As for driver's licenses.
    public typealias Response = MobileDriversLicenseDisplayRequest.Response

    /// The region that issued the card.
    public var region: Locale.Region
    /// What is shown beside the portrait.
    public var elements: [Element]
    /// How the result is shown.
    public var options: Options

    /// A request for these.
    public init(region: Locale.Region, elements: [Element], options: Options) {
        self.region = region
        self.elements = elements
        self.options = options
    }
}

extension MobileDriversLicenseDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(showing: elements, options.validationMode, of: [.drivingLicence])
        }
    }
}

extension MobileNationalIDCardDisplayRequest {
    /// What a session makes of it.
    public var plan: MobileDocumentRequestPlan<Response> {
        get throws(MobileDocumentReaderError) {
            try MobileDocumentRequestPlan(
                showing: elements, options.validationMode, of: [DocumentFamily(nationalIDCardOf: region)])
        }
    }
}

extension DocumentFamily {
    fileprivate init(nationalIDCardOf region: Locale.Region) throws(MobileDocumentReaderError) {
        guard MobileNationalIDCardDisplayRequest.isSupportedRegion(region) else {
            throw .notSupported(.regionNotSupported)
        }
        self = .nationalIDCardOfJapan
    }
}

extension MobileDocumentDisplayRequest {
    /// What a session makes of it.
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
    /// For elements that only the operator sees, with the portrait; none of them is kept.
    fileprivate init(
        showing elements: [MobileDriversLicenseDisplayRequest.Element],
        _ mode: MobileDriversLicenseDisplayRequest.Options.ValidationMode, of documents: [DocumentFamily]
    ) throws(MobileDocumentReaderError) {
        try elements.checkEachOnce()
        let presentation = MobileDocumentPresentation(elements: elements, validationMode: mode)
        try self.init(
            needsToken: false,
            asking: documents.map { document throws(MobileDocumentReaderError) in
                try RequestPlan(
                    asking: [.portrait(isCompared: true)] + elements.map { $0.claim(of: document) },
                    of: document)
            },
            answer: .decided(on: presentation) { outcome in
                // Without a question there is no decision.
                Response(validationOutcome: mode == .confirm ? outcome : .dismissed)
            })
    }
}

extension MobileDocumentDisplayRequest.Options.DocumentType {
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
