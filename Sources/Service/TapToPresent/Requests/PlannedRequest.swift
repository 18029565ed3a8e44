internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import WalletPresentation

/// A request that this library can make.
protocol PlannedRequest: MobileDocumentRequest {
    /// Whether the elements come to the app, which takes a session prepared with a reader token.
    static var needsToken: Bool { get }
    /// Whether the answer is handed over unverified.
    static var isRaw: Bool { get }

    /// The documents that will do, in order of preference, and what is asked of each.
    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument]
    func response(to answer: ReadAnswer) async throws(MobileDocumentReaderError) -> Response
}

/// What a phone answered.
enum ReadAnswer {
    case raw(RawAnswer)
    case verified(ReadDocument)
}

/// A document that passed every check, and what of it was asked for.
struct ReadDocument {
    let document: VerifiedDocument
    let requested: RequestedDocument
    /// The day of the read, in the zone of the premises (Q161).
    let day: FullDate
    let showing: ResultShowing
}

/// A request whose answer comes back verified.
protocol VerifiedRequest: PlannedRequest {
    func response(to read: ReadDocument) async throws(MobileDocumentReaderError) -> Response
}

extension VerifiedRequest {
    static var isRaw: Bool { false }

    func response(to answer: ReadAnswer) async throws(MobileDocumentReaderError) -> Response {
        guard case .verified(let read) = answer else { throw .unknown(.internalFault) }
        return try await response(to: read)
    }
}

/// A request whose answer comes back as the phone sent it.
protocol RawRequest: PlannedRequest where Response == MobileDocumentRawDataResponse {}

extension RawRequest {
    static var isRaw: Bool { true }

    func response(to answer: ReadAnswer) async throws(MobileDocumentReaderError) -> Response {
        guard case .raw(let raw) = answer else { throw .unknown(.internalFault) }
        return try MobileDocumentRawDataResponse(raw)
    }
}

/// A request for elements of one kind of document.
protocol ElementRequest: PlannedRequest {
    associatedtype Element: RequestedElement

    static var kind: IdentityDocument { get }
    var retainedElements: [Element] { get }
    var nonRetainedElements: [Element] { get }
}

/// A name for elements of a document.
protocol RequestedElement: Hashable, Sendable {
    var identityElement: IdentityElement { get }
}

extension ElementRequest {
    static var needsToken: Bool { true }

    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] {
        let elements =
            retainedElements.map { (element: $0.identityElement, intent: IntentToStore.mayStore) }
            + nonRetainedElements.map { (element: $0.identityElement, intent: .willNotStore) }
        return [try RequestedDocument(Self.kind, elements)]
    }
}
