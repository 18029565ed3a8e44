internal import MdocModel
internal import ReaderReports
internal import ReaderService
internal import RequestPlanner

/// One presentation as the counter knows it.
struct PresentationRecord: Sendable {
    enum Decision: String, CaseIterable, Sendable {
        case approved, rejected, dismissed
    }

    let id: PresentationID
    let order: PresentationOrder
    let plan: RequestPlan
    let lane: String
    let created: Timestamp
    let brand: PreparedBrand?
    var state = PresentationState.armed
    var hint: PresentationHint?
    var ended: Timestamp?
    var result: PresentationResult?
    /// The documents of a data request, until they are let go of.
    var documents: JSONValue?
    /// What the display shows, until it is decided or its time is over.
    var shown: ShownPerson?
    var decision: Decision?
    /// The receipt's id, where one was written.
    var receipt: String?

    /// Lets go of everything personal.
    mutating func wipe() {
        shown = nil
        documents = nil
    }

    var holdsPersonalData: Bool { shown != nil || documents != nil }
}
