internal import MdocModel
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// One request of a presentation, with what came of it: what a receipt is about, and what is retained of.
struct EndedRequest: Sendable {
    let kind: PresentationOrder.Kind
    let plan: RequestPlan
    let retention: RetentionProfile
    let state: PresentationState
    /// Nil where there was no reader to begin with.
    let report: TransactionReport?
    let ended: Timestamp
    /// Whether data of it is to be retained.
    let isRetained: Bool

    init(
        _ kind: PresentationOrder.Kind, _ plan: RequestPlan, _ retention: RetentionProfile,
        came state: PresentationState, _ ending: PresentationEnding, of record: PresentationRecord
    ) {
        self.kind = kind
        self.plan = plan
        self.retention = retention
        self.state = state
        report = ending.report
        ended = record.ended ?? record.created
        isRetained = retention.days > 0 && state == .verified && record.state != .cancelled
    }
}

extension PresentationRecord {
    /// What its data is retained for: the caller's own name for it, with which those of several persons come together.
    var retentionReference: String { order.reference?.name ?? id.description }
}
