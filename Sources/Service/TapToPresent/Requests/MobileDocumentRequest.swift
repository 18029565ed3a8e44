internal import COSE
internal import ErrorMapping
public import Foundation
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService
internal import RequestPlanner

/// A request for a document on a phone, with the type of its answer.
///
/// Use a request type of this library. An app cannot write its own, because it cannot create a
/// ``MobileDocumentRequestPlan``. There are three kinds of request:
/// - *Display requests* show the document to the operator and return the operator's decision.
/// - *Data requests* return verified elements to the app.
/// - *Raw data requests* return the phone's answer unverified, for a server that verifies it.
///
/// Data and raw data requests require a session that was prepared with a reader token. A request is a value,
/// and creating a request contacts neither a phone nor a server. The property ``plan`` throws if the request
/// has a fault, such as an element that occurs twice or more than two ages.
public protocol MobileDocumentRequest: Hashable, Sendable {
    /// The type of the answer.
    associatedtype Response: Hashable, Sendable

    /// The document request that a session sends. Throws if the request is not valid or not supported.
    var plan: MobileDocumentRequestPlan<Response> { get throws(MobileDocumentReaderError) }
}

/// A request that returns verified elements to the app.
public protocol MobileDocumentDataRequest: MobileDocumentRequest
where Response: MobileDocumentDataResponse {}

/// The elements of a verified document.
public protocol MobileDocumentDataResponse: Hashable, Sendable {}

/// A request that returns the phone's answer unverified, for a server that verifies it.
public protocol MobileDocumentRawDataRequest: MobileDocumentRequest
where Response == MobileDocumentRawDataResponse {}

// MARK: Factories

extension MobileDocumentRequest where Self == MobileDriversLicenseDisplayRequest {
    /// Returns a request that shows elements of a driver's license to the operator.
    public static func displayDriversLicense(
        _ elements: [MobileDriversLicenseDisplayRequest.Element],
        options: MobileDriversLicenseDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseDataRequest {
    /// Returns a request for elements of a driver's license. The app stores `retainedElements` and does not
    /// store `nonRetainedElements`.
    public static func driversLicenseData(
        retaining retainedElements: [MobileDriversLicenseDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileDriversLicenseDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileDriversLicenseRawDataRequest {
    /// Returns a request for elements of a driver's license. The phone's answer is returned unverified.
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
    /// Returns a request for elements of a photo ID. The app stores `retainedElements` and does not store
    /// `nonRetainedElements`.
    public static func photoIDData(
        retaining retainedElements: [MobilePhotoIDDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobilePhotoIDDataRequest.Element] = []
    ) -> Self {
        Self(retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobilePhotoIDRawDataRequest {
    /// Returns a request for elements of a photo ID. The phone's answer is returned unverified.
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
    /// Returns a request that shows elements of one of several document types to the operator. The types are
    /// in order of preference.
    public static func displayDocument(
        _ elements: [MobileDocumentDisplayRequest.Element], options: MobileDocumentDisplayRequest.Options
    ) -> Self {
        Self(elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDisplayRequest {
    /// Returns a request that shows elements of a national ID card to the operator.
    public static func nationalIDCard(
        region: Locale.Region, _ elements: [MobileNationalIDCardDisplayRequest.Element],
        options: MobileNationalIDCardDisplayRequest.Options
    ) -> Self {
        Self(region: region, elements: elements, options: options)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardDataRequest {
    /// Returns a request for elements of a national ID card. The app stores `retainedElements` and does not
    /// store `nonRetainedElements`.
    public static func nationalIDCardData(
        region: Locale.Region, retaining retainedElements: [MobileNationalIDCardDataRequest.Element] = [],
        notRetaining nonRetainedElements: [MobileNationalIDCardDataRequest.Element] = []
    ) -> Self {
        Self(
            region: region, retainedElements: retainedElements, nonRetainedElements: nonRetainedElements)
    }
}

extension MobileDocumentRequest where Self == MobileNationalIDCardRawDataRequest {
    /// Returns a request for elements of a national ID card. The phone's answer is returned unverified.
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

/// The document request that a session sends, and the function that makes the response from the phone's
/// answer. Only the requests of this library can create a plan.
public struct MobileDocumentRequestPlan<Response: Hashable & Sendable>: Sendable {
    /// The source from which a session makes the response.
    enum Answer: Sendable {
        /// The phone's answer, unverified.
        case raw(@Sendable (RawAnswer) throws(MobileDocumentReaderError) -> Response)
        /// A document that passed every check.
        case verified(@Sendable (ReadDocument) throws(MobileDocumentReaderError) -> Response)
        /// The operator's decision about a document that passed every check.
        case decided(on: MobileDocumentPresentation, @Sendable (ResultShowing.ValidationOutcome) -> Response)
    }

    /// Whether the app receives elements, which requires a session prepared with a reader token.
    let needsToken: Bool
    /// The request of each accepted document type, in order of preference.
    let choices: [RequestPlan]
    let answer: Answer

    init(
        needsToken: Bool = true, asking choices: [RequestPlan], answer: Answer
    ) throws(MobileDocumentReaderError) {
        guard !choices.isEmpty else { throw .invalidRequest(.nothingRequested) }
        let documents = choices.flatMap(\.intent.documents)
        // If two requests had the same document type, it would be unclear which request an answer belongs to.
        guard Set(documents).count == documents.count else { throw .invalidRequest(.documentTwice) }
        self.needsToken = needsToken
        self.choices = choices
        self.answer = answer
    }
}

extension MobileDocumentRequestPlan.Answer where Response == MobileDocumentRawDataResponse {
    /// The `answer` of a raw data request's plan. The response is the phone's answer, unverified.
    static var asSent: Self {
        .raw { raw throws(MobileDocumentReaderError) in try MobileDocumentRawDataResponse(raw) }
    }
}

/// The phone's answer, **unverified**. The receiver must make every check of ISO/IEC 18013-5 9.3 itself, or
/// run `countersign verify`.
public struct MobileDocumentRawDataResponse: Hashable, Sendable {
    /// The DeviceResponse, CBOR-encoded (ISO/IEC 18013-5 8.3.2.1.2.2).
    public let responseData: Data
    /// The SessionTranscript, CBOR-encoded, as a bare array (ISO/IEC 18013-5 9.1.5.1).
    public let sessionTranscript: Data
    /// The private key of the reader's ephemeral key pair, which is needed to check an answer with a MAC
    /// (ISO/IEC 18013-5 9.1.3.5): the big-endian scalar, on the curve of the reader key in the transcript.
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
    /// A fixed text, because the answer is personal data.
    public var description: String { "MobileDocumentRawDataResponse(redacted)" }
    /// A mirror without children, because the answer is personal data.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
