internal import ReaderService
internal import RequestPlanner

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
