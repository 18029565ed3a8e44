internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// One request of a presentation, with its report: what a receipt is about, and what is retained of.
struct EndedRequest: Sendable {
    let kind: PresentationOrder.Kind
    let plan: RequestPlan
    let retention: RetentionProfile
    let state: PresentationState
    /// With the elements.
    let report: TransactionReport
    let completion: PresentationRecord.Completion

    /// Whether data of it is to be retained.
    var isRetained: Bool {
        retention.days > 0 && state == .verified && completion.state != .cancelled
    }
}
