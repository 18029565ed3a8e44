internal import MdocModel
internal import ReaderService
internal import ReaderStore
internal import Reports

/// The presentations of all lanes, as a value: events in, actions out. It reads no clock, waits for nothing and writes
/// nothing; `PresentationCoordinator` carries out its actions, in their order.
struct PresentationBook: Sendable {
    enum Action: Sendable {
        /// The listeners of its lane are notified of its state.
        case notify(PresentationRecord)
        /// A receipt that waited for a decision is written; then `wrote` follows.
        case write(ReceiptStatement, of: PresentationID)
        /// After this time `expire` follows.
        case wait(Duration, Expiry, of: PresentationID)
        /// It was forgotten: its listeners are disconnected.
        case close(PresentationID, lane: String)
        case send(PresentationRecord, webhook: String)
    }

    /// Whose time is over.
    enum Expiry: Sendable {
        /// What the display shows.
        case shown
        /// Nobody has decided by now: nothing is left to compare.
        case decision
        case documents
    }

    /// What was kept of a presentation once it was judged.
    struct Kept: Sendable {
        var receipt = PresentationRecord.Receipt.none
        var retainedUntil: Timestamp?
        var furtherReceipt: String?
        var furtherRetainedUntil: Timestamp?
    }

    private let limits: CoordinatorLimits
    private var records: [PresentationID: PresentationRecord] = [:]
    /// From the oldest to the newest.
    private var order: [PresentationID] = []
    private var references: [OrderReference: PresentationID] = [:]
    private var latest: [String: PresentationID] = [:]

    init(limits: CoordinatorLimits) {
        self.limits = limits
    }

    // MARK: What is known

    subscript(id: PresentationID) -> PresentationRecord? { records[id] }

    var ids: [PresentationID] { order }

    /// The current or last presentation of a lane.
    func latest(at lane: String) -> PresentationRecord? { latest[lane].flatMap { records[$0] } }

    func isBusy(lane: String) -> Bool { latest(at: lane).map { !$0.state.isOver } ?? false }

    /// The presentation that has this order's reference already.
    func record(orderedAs order: PresentationOrder) throws(APIProblem) -> PresentationRecord? {
        guard let reference = order.reference, let id = references[reference], let record = records[id] else {
            return nil
        }
        guard record.order.asksTheSame(as: order) else { throw .referenceTaken }
        return record
    }

    /// What is known under one reference, person by person.
    func records(referredToAs name: String) -> [PresentationRecord] {
        references.filter { $0.key.name == name }.sorted { $0.key.holder < $1.key.holder }
            .compactMap { records[$0.value] }
    }

    // MARK: Events

    /// A presentation begins. What its lane still shows of the one before is wiped: documents stay for whoever ordered
    /// them.
    mutating func begin(_ record: PresentationRecord) throws(APIProblem) -> [Action] {
        guard !isBusy(lane: record.lane) else { throw .laneBusy }
        var actions = try makeRoom()
        if let before = latest[record.lane] {
            actions += expire(.shown, of: before) + expire(.decision, of: before)
        }
        records[record.id] = record
        order.append(record.id)
        if let reference = record.order.reference { references[reference] = record.id }
        latest[record.lane] = record.id
        return actions + [.notify(record)]
    }

    private mutating func makeRoom() throws(APIProblem) -> [Action] {
        guard order.count >= limits.presentations else { return [] }
        guard let index = order.firstIndex(where: { records[$0]?.isForgettable ?? true }) else {
            throw .tooManyPresentations
        }
        let id = order.remove(at: index)
        guard let record = records.removeValue(forKey: id) else { return [] }
        if let reference = record.order.reference { references[reference] = nil }
        if latest[record.lane] == id { latest[record.lane] = nil }
        return [.close(id, lane: record.lane)]
    }

    /// Something happened between reader and phone.
    mutating func note(_ event: PresentationEvent, of id: PresentationID) -> [Action] {
        guard var record = records[id], case .running(let state, let hint) = record.phase else { return [] }
        let (newState, newHint) = (event.state ?? state, event.hint(after: hint))
        guard (newState, newHint) != (state, hint) else { return [] }
        record.phase = .running(newState, hint: newHint)
        records[id] = record
        return [.notify(record)]
    }

    /// Somebody cancels it. False where it is too late for that.
    mutating func cancel(_ id: PresentationID) -> Bool {
        guard case .running? = records[id]?.phase else { return false }
        records[id]?.phase = .cancelling
        return true
    }

    /// It was judged. Its record keeps the state that it has until `complete` says what was kept.
    mutating func end(
        _ id: PresentationID, with report: TransactionReport, then further: TransactionReport?,
        shown: ShownPerson?, at now: Timestamp
    ) -> PresentationRecord.Completion? {
        guard let record = records[id] else { return nil }
        switch record.phase {
        case .running, .cancelling: break
        case .recording, .over: return nil
        }
        let completion = PresentationRecord.Completion(
            report, then: further, shown: shown, of: record, at: now)
        records[id]?.phase = .recording(completion, before: record.state)
        return completion
    }

    /// What its order keeps was written: now it is over.
    mutating func complete(_ id: PresentationID, _ kept: Kept) -> [Action] {
        guard var record = records[id], case .recording(var completion, _) = record.phase else { return [] }
        completion.receipt = kept.receipt
        completion.retainedUntil = kept.retainedUntil
        completion.furtherReceipt = kept.furtherReceipt
        completion.furtherRetainedUntil = kept.furtherRetainedUntil
        record.phase = .over(completion)
        records[id] = record
        var actions = [Action.notify(record)]
        if completion.shown != nil { actions.append(.wait(limits.shown, .shown, of: id)) }
        if completion.receipt.isWaiting {
            let time = record.order.kind == .display ? limits.shown : limits.documents
            actions.append(.wait(time, .decision, of: id))
        }
        if completion.holdsElements { actions.append(.wait(limits.documents, .documents, of: id)) }
        if let webhook = record.order.webhook { actions.append(.send(record, webhook: webhook)) }
        return actions
    }

    /// A person decided; what was shown is wiped.
    mutating func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision
    ) throws(APIProblem) -> [Action] {
        guard var record = records[id] else { throw .presentationUnknown }
        guard var completion = record.completion else { throw .decisionNotDue }
        if let decided = completion.decision {
            guard decided == decision else { throw .decisionNotDue }
            return []
        }
        guard decision == .dismissed || completion.state == .verified, !isUndecided(completion, of: record)
        else { throw .decisionNotDue }
        completion.decision = decision
        completion.shown = nil
        completion.hint = .decided
        record.phase = .over(completion)
        records[id] = record
        return [.notify(record)] + expire(.decision, of: id)
    }

    /// Whether the receipt says for good that nobody decided.
    private func isUndecided(
        _ completion: PresentationRecord.Completion, of record: PresentationRecord
    ) -> Bool {
        switch completion.receipt {
        case .none, .waiting: false
        case .writing, .written, .failed: record.needsDecision(completion.state)
        }
    }

    mutating func expire(_ expiry: Expiry, of id: PresentationID) -> [Action] {
        guard var record = records[id], var completion = record.completion else { return [] }
        var actions: [Action] = []
        switch (expiry, completion.receipt) {
        case (.decision, .waiting(var statement)):
            statement.decision = completion.decision.map(ReceiptStatement.Decision.init)
            completion.receipt = .writing
            actions = [.write(statement, of: id)]
        case (.shown, _) where completion.shown != nil:
            completion.shown = nil
            completion.hint = .wiped
        case (.documents, _) where completion.holdsElements:
            completion.wipe()
            completion.hint = .wiped
        case (.decision, _), (.shown, _), (.documents, _): return []
        }
        record.phase = .over(completion)
        records[id] = record
        if case .decision = expiry { return actions }
        return [.notify(record)]
    }

    /// A receipt that waited for a decision has this id now, or could not be written.
    mutating func wrote(_ receipt: String?, of id: PresentationID) -> [Action] {
        guard var record = records[id], var completion = record.completion else { return [] }
        completion.receipt = receipt.map { .written($0) } ?? .failed
        record.phase = .over(completion)
        records[id] = record
        return [.notify(record)]
    }

    /// The receipt of what was asked next, which could not be written before, has this id now.
    mutating func wroteFurther(_ receipt: String, of id: PresentationID) -> [Action] {
        guard var record = records[id], var completion = record.completion else { return [] }
        completion.furtherReceipt = receipt
        record.phase = .over(completion)
        records[id] = record
        return [.notify(record)]
    }

    /// Removes all personal data: the daemon ends.
    mutating func wipe() {
        for id in order {
            guard case .over(var completion)? = records[id]?.phase else { continue }
            completion.wipe()
            records[id]?.phase = .over(completion)
        }
    }
}

extension ReceiptStatement.Decision {
    fileprivate init(_ decision: PresentationRecord.Decision) {
        self =
            switch decision {
            case .approved: .approved
            case .rejected: .rejected
            case .dismissed: .dismissed
            }
    }
}

/// How much the coordinator holds, and for how long.
package struct CoordinatorLimits: Equatable, Sendable {
    /// How many presentations are remembered; the oldest that are over go first.
    package var presentations = 1000
    /// How many may listen to events at once, over all lanes.
    package var listeners = 256
    /// For how long a portrait or a name is shown where nobody decides.
    package var shown = Duration.seconds(120)
    /// For how long the documents of a data request can be fetched.
    package var documents = Duration.seconds(600)

    package init() {}
}
