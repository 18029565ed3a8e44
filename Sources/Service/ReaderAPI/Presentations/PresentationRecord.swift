internal import JSON
internal import MdocModel
internal import ReaderService
internal import ReaderStore
internal import RequestPlanner

/// One presentation as the counter knows it.
struct PresentationRecord: Sendable {
    enum Decision: String, CaseIterable, Sendable {
        case approved, rejected, dismissed
    }

    let id: PresentationID
    let order: PresentationOrder
    let plan: RequestPlan
    /// What is asked next in the same session.
    var then: Further?
    let lane: String
    let created: Timestamp
    let brand: PreparedBrand?
    /// By what it is judged, as a receipt says it.
    let policy: String
    let trustSince: Timestamp?
    var state = PresentationState.armed
    var hint: PresentationHint?
    var ended: Timestamp?
    var result: PresentationResult?
    /// The documents of a data request, until they are wiped.
    var documents: JSONValue?
    /// What the display shows, until it is decided or its time is over.
    var shown: ShownPerson?
    var decision: Decision?
    var receipt = Receipt.absent
    /// Until when data of it is retained; nil where none is.
    var retainedUntil: Timestamp?

    enum Receipt: Sendable {
        /// None is wanted, or yet, or it could not be written.
        case absent
        /// It waits for a person's decision.
        case due(ReceiptStatement)
        /// By its id.
        case written(String)

        var id: String? { if case .written(let id) = self { id } else { nil } }
    }

    /// Whether a person is to decide on the answer.
    var needsDecision: Bool { state == .verified && order.validation == .confirm }

    struct Further: Sendable {
        let order: FurtherOrder
        let plan: RequestPlan
        /// Nil where it was not asked for.
        var result: PresentationResult?
        var documents: JSONValue?
        var receipt: String?
        var retainedUntil: Timestamp?
    }

    /// Removes all personal data.
    mutating func wipe() {
        shown = nil
        documents = nil
        then?.documents = nil
    }

    var holdsDocuments: Bool { documents != nil || then?.documents != nil }
    var holdsPersonalData: Bool { shown != nil || holdsDocuments }

    /// Records the result. A picture is kept only if everything was verified, since only then somebody compares.
    mutating func take(
        _ ending: PresentationEnding, then further: PresentationEnding?, shown: ShownPerson?
    ) {
        // What was cancelled has no answer, whatever came meanwhile.
        if state == .cancelled, ending.state != .cancelled { return }
        result = ending.result
        then?.result = further?.result
        if state == .verified, order.kind == .display { self.shown = shown }
        if ending.state == .verified, order.kind == .data { documents = ending.documents }
        if further?.state == .verified { then?.documents = further?.documents }
    }
}
