internal import COSE
internal import ErrorMapping
public import Foundation
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService
internal import RequestPlanner

/// A request for a document on somebody's phone, with the type of its answer.
///
/// The requests of this library are all there are: nobody else can make a plan.
public protocol MobileDocumentRequest: Hashable, Sendable {
    /// What the request is answered with.
    associatedtype Response: Hashable, Sendable

    /// What a session makes of the request, or why it is not asked.
    var plan: MobileDocumentRequestPlan<Response> { get throws(MobileDocumentReaderError) }
}

/// A request whose elements come back to the app.
public protocol MobileDocumentDataRequest: MobileDocumentRequest
where Response: MobileDocumentDataResponse {}

/// The elements of a verified document.
public protocol MobileDocumentDataResponse: Hashable, Sendable {}

/// A request whose answer comes back as the phone sent it, for a server that verifies it.
public protocol MobileDocumentRawDataRequest: MobileDocumentRequest
where Response == MobileDocumentRawDataResponse {}

// MARK: Factories

extension MobileDocumentRequest where Self == MobileDriversLicenseDisplayRequest {
    /// Shows the operator elements of a driver's license.
    public static func displayDriversLicense(
        _ elements: [MobileDriversLicenseDisplayRequest.Element],
        options: MobileDriversLicenseDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseDataRequest {
    /// Elements of a driver's license, those that will be kept and those that will not.
    public static func driversLicenseData(
        retaining retainedElements: [MobileDriversLicenseDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileDriversLicenseDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseRawDataRequest {
    /// The unverified answer to a request for a driver's license.
    public static func driversLicenseRawData(
        retaining retainedElements: [MobileDriversLicenseRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileDriversLicenseRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}

extension MobileDocumentRequest where Self == MobilePhotoIDDataRequest {
    /// Elements of a photo ID, those that will be kept and those that will not.
    public static func photoIDData(
        retaining retainedElements: [MobilePhotoIDDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobilePhotoIDDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobilePhotoIDRawDataRequest {
    /// The unverified answer to a request for a photo ID.
    public static func photoIDRawData(
        retaining retainedElements: [MobilePhotoIDRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobilePhotoIDRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}

extension MobileDocumentRequest where Self == MobileDocumentDisplayRequest {
    /// Shows the operator elements of whichever of several documents the holder has.
    public static func displayDocument(
        _ elements: [MobileDocumentDisplayRequest.Element], options: MobileDocumentDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDisplayRequest {
    /// Shows the operator elements of a national ID card.
    public static func nationalIDCard(
        region: Locale.Region, _ elements: [MobileNationalIDCardDisplayRequest.Element],
        options: MobileNationalIDCardDisplayRequest.Options
    ) -> Self {
        Self(region: region, elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDataRequest {
    /// Elements of a national ID card, those that will be kept and those that will not.
    public static func nationalIDCardData(
        region: Locale.Region, retaining retainedElements: [MobileNationalIDCardDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileNationalIDCardDataRequest.Element] = []
    ) -> Self {
        Self(
            region: region, retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardRawDataRequest {
    /// The unverified answer to a request for a national ID card.
    public static func nationalIDCardRawData(
        region: Locale.Region, retaining retainedElements: [MobileNationalIDCardRawDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileNationalIDCardRawDataRequest.Element] = [],
        issuerIdentifiers: [Data] = []
    ) -> Self {
        Self(
            region: region, retainedElements: retainedElements, nonRetainedElements: nonRetainedElements,
            issuerIdentifiers: issuerIdentifiers)
    }
}

/// What a session makes of a request. Only the requests of this library have one.
public struct MobileDocumentRequestPlan<Response: Hashable & Sendable>: Sendable {
    enum Answer: Sendable {
        /// From what the phone sent, unverified.
        case raw(@Sendable (RawAnswer) throws(MobileDocumentReaderError) -> Response)
        /// From a document that passed every check.
        case verified(@Sendable (ReadDocument) throws(MobileDocumentReaderError) -> Response)
        /// From the operator's decision on such a document.
        case decided(on: MobileDocumentPresentation, @Sendable (ResultShowing.ValidationOutcome) -> Response)
    }

    /// Whether the app gets the elements, which needs a session prepared with a reader token.
    let needsToken: Bool
    /// What is asked of each document that will do, in order of preference.
    let choices: [RequestPlan]
    let answer: Answer

    init(
        needsToken: Bool = true, asking choices: [RequestPlan], answer: Answer
    ) throws(MobileDocumentReaderError) {
        guard !choices.isEmpty else { throw .invalidRequest(.nothingRequested) }
        let documents = choices.flatMap(\.intent.documents)
        // With two of a kind, neither the phone nor we know which is meant.
        guard Set(documents).count == documents.count else { throw .invalidRequest(.documentTwice) }
        self.needsToken = needsToken
        self.choices = choices
        self.answer = answer
    }
}

extension MobileDocumentRequestPlan.Answer where Response == MobileDocumentRawDataResponse {
    static var asSent: Self {
        .raw { raw throws(MobileDocumentReaderError) in try MobileDocumentRawDataResponse(raw) }
    }
}

/// An answer as the phone sent it. **Nothing of it is verified**: whoever takes it makes every check of
/// ISO/IEC 18013-5 9.3, or has `countersign verify` make them.
public struct MobileDocumentRawDataResponse: Hashable, Sendable {
    /// The DeviceResponse in CBOR (ISO/IEC 18013-5 8.3.2.1.2.2).
    public let responseData: Data
    /// The SessionTranscript in CBOR, the bare array (9.1.5.1).
    public let sessionTranscript: Data
    /// The private half of the reader's ephemeral key, by which an answer with a MAC is checked (9.1.3.5): its scalar,
    /// big-endian, on the curve of the key in the transcript.
    public let ephemeralReaderKey: Data

    init(_ answer: RawAnswer) throws(MobileDocumentReaderError) {
        responseData = Data(answer.response)
        sessionTranscript = Data(answer.transcript.encoded)
        ephemeralReaderKey = try mapping(answer.readerKey.privateKey.withUnprotectedScalar { Data($0) }) {
            (_: OpenSSLCryptoError) in MobileDocumentReaderError.unknown(.internalFault)
        }
    }
}

extension MobileDocumentRawDataResponse: CustomStringConvertible, CustomReflectable {
    /// The type's name alone: what came is personal.
    public var description: String { "MobileDocumentRawDataResponse(redacted)" }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
