internal import MdocModel
internal import MdocVerification
internal import ReaderService
internal import WalletPresentation

/// What a session makes of a request. Only the requests of this library have one.
public struct MobileDocumentRequestPlan<Response: Hashable & Sendable>: Sendable {
    /// How an answer becomes the response.
    enum Answer: Sendable {
        /// From what the phone sent, unverified.
        case raw(@Sendable (RawAnswer) throws(MobileDocumentReaderError) -> Response)
        /// From a document that passed every check.
        case verified(@Sendable (ReadDocument) async throws(MobileDocumentReaderError) -> Response)
    }

    /// Whether the app gets the elements, which needs a session prepared with a reader token.
    let needsToken: Bool
    private let asked: Result<[RequestedDocument], MobileDocumentReaderError>
    let answer: Answer

    init(
        needsToken: Bool, answer: Answer,
        asking documents: () throws(MobileDocumentReaderError) -> [RequestedDocument]
    ) {
        self.needsToken = needsToken
        self.answer = answer
        asked = Result(catching: documents)
    }

    /// The documents that will do, in order of preference, and what is asked of each.
    func documents() throws(MobileDocumentReaderError) -> [RequestedDocument] { try asked.get() }
}

/// A document that passed every check, and what of it was asked for.
struct ReadDocument {
    let document: VerifiedDocument
    let requested: RequestedDocument
    /// The day of the read, in the zone of the premises (Q161).
    let day: FullDate
    let showing: ResultShowing
}

/// A name for elements of a document.
protocol RequestedElement: Hashable, Sendable {
    var identityElement: IdentityElement { get }
}

extension MobileDocumentRequestPlan {
    /// For elements of one kind of document, which the app gets.
    init<Element: RequestedElement>(
        _ kind: IdentityDocument, retained: [Element], notRetained: [Element], answer: Answer
    ) {
        self.init(needsToken: true, answer: answer) { () throws(MobileDocumentReaderError) in
            let elements =
                retained.map { (element: $0.identityElement, intent: IntentToStore.mayStore) }
                + notRetained.map { (element: $0.identityElement, intent: .willNotStore) }
            return [try RequestedDocument(kind, elements)]
        }
    }
}

extension MobileDocumentRequestPlan where Response == MobileDocumentRawDataResponse {
    /// For elements of one kind of document, which the app gets unverified.
    init<Element: RequestedElement>(_ kind: IdentityDocument, retained: [Element], notRetained: [Element]) {
        self.init(kind, retained: retained, notRetained: notRetained, answer: .asSent)
    }
}

extension MobileDocumentRequestPlan.Answer where Response == MobileDocumentRawDataResponse {
    static var asSent: Self {
        .raw { raw throws(MobileDocumentReaderError) in try MobileDocumentRawDataResponse(raw) }
    }
}
