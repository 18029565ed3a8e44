internal import CBOR
internal import MdocModel
internal import MdocVerification
internal import ReaderReports

/// A DeviceRequest that was sent, and what it asks.
struct StoredRequest {
    let bytes: ArraySlice<UInt8>
    private let items: [ItemsRequest]

    init(_ bytes: ArraySlice<UInt8>, limits: CBORLimits) throws(MdocModelError) {
        self.bytes = bytes
        items = try DeviceRequest(bytes, limits: limits).docRequests.map(\.itemsRequest)
    }

    var comparison: RequestComparison { .requested(items) }

    /// Each `age_over_NN` of each document, once.
    var questions: [Question] {
        var questions: [Question] = []
        for request in items {
            for years in request.agesAsked {
                let question = Question(docType: request.docType, ageOver: years)
                if !questions.contains(question) { questions.append(question) }
            }
        }
        return questions
    }
}
