internal import CBOR
internal import MdocModel
internal import MdocVerification
internal import Reports

/// A DeviceRequest that was sent, and what it asks.
struct StoredRequest {
    let bytes: ArraySlice<UInt8>
    let items: [ItemsRequest]

    init(_ bytes: ArraySlice<UInt8>, limits: CBORLimits) throws(MdocModelError) {
        self.bytes = bytes
        items = try DeviceRequest(bytes, limits: limits).docRequests.map(\.itemsRequest)
    }

    var comparison: RequestComparison { .requested(items) }

    /// Each `age_over_NN` of each document, once.
    var questions: [Question] { Question.agesAsked(in: items, on: nil) }
}
