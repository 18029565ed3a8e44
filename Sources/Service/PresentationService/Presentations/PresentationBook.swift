internal import MdocModel
internal import ReaderService
internal import ReaderStore
internal import Reports

/// The presentations of all lanes, as a value: events in, actions out. It reads no clock, waits for nothing and writes
/// nothing; `PresentationCoordinator` carries out its actions, in their order.
struct PresentationBook: Sendable {
    enum Action: Sendable {
        /// The listeners of its lane are notified of what happened.
        case notify(EventName, PresentationRecord)
        /// It is decided: the receipts that waited for that are written, and how it ended; then `wrote` follows.
        case write(WaitingReceipts, retaining: WaitingRetention, of: PresentationID)
        /// After this time `expire` follows.
        case wait(Duration, Expiry, of: PresentationID)
        /// It was forgotten: its listeners are disconnected.
        case close(PresentationID, lane: String)
        /// It has its outcome, and its receipts are written: once for each presentation.
        case finish(PresentationRecord)
    }

    /// Whose time is over.
    enum Expiry: Sendable {
        /// What the display shows.
        case shown
        /// Nobody has decided in time.
        case decision
        case documents
    }

    /// What was kept of a presentation once it was judged.
    struct Kept: Sendable {
        var receipt = PresentationRecord.Receipt.none
        var retainedUntil: Timestamp?
        var furtherReceipt: String?
        var furtherRetainedUntil: Timestamp?
        /// What is retained once a person has approved.
        var retaining = WaitingRetention()
    }

    private let limits: CoordinatorLimits
    private var records: [PresentationID: PresentationRecord] = [:]
    /// From the oldest to the newest.
    private var order: [PresentationID] = []
    private var references: [OwnedReference: PresentationID] = [:]
    private var latest: [String: PresentationID] = [:]
    /// Whether the daemon is ending, so that what is not over is interrupted.
    private var isInterrupted = false

    init(limits: CoordinatorLimits) {
        self.limits = limits
    }

    // MARK: What is known

    subscript(id: PresentationID) -> PresentationRecord? { records[id] }

    var ids: [PresentationID] { order }

    /// The current or last presentation of a lane.
    func latest(at lane: String) -> PresentationRecord? { latest[lane].flatMap { records[$0] } }

    func isBusy(lane: String) -> Bool { latest(at: lane).map { !$0.state.isOver } ?? false }

    /// The presentation that has this order's reference already, among those of the same caller.
    func record(
        orderedAs order: PresentationOrder, by owner: String
    ) throws(PresentationServiceError) -> PresentationRecord? {
        guard let reference = order.reference,
            let id = references[OwnedReference(owner: owner, reference: reference)], let record = records[id]
        else { return nil }
        guard record.order == order else { throw .referenceTaken }
        return record
    }

    /// What a caller ordered under one reference, person by person.
    func records(referredToAs name: String, by owner: String) -> [PresentationRecord] {
        references.filter { $0.key.owner == owner && $0.key.reference.name == name }
            .sorted { $0.key.reference.holder < $1.key.reference.holder }
            .compactMap { records[$0.value] }
    }

    /// The lane of the presentation that this caller ordered and a receipt is of; nil if the receipt is of none.
    func lane(ofReceipt receipt: String, of owner: String) -> String? {
        records.values.first { record in
            record.owner == owner
                && [record.completion?.receipt.id, record.completion?.furtherReceipt].contains(receipt)
        }?.lane
    }

    // MARK: Events

    /// Inserts a presentation that begins. What its lane still shows of the one before is wiped: documents stay for whoever
    /// ordered them. Throws if the one before is running or waits for a decision.
    mutating func insert(_ record: PresentationRecord) throws(PresentationServiceError) -> [Action] {
        if let repeated = record.repeated { try checkAskingAgain(repeated, for: record.owner) }
        if let before = latest(at: record.lane), !before.state.isOver {
            throw occupation(by: before, for: record.owner)
        }
        var actions = try makeRoom()
        if let before = latest[record.lane] { actions += expire(.shown, of: before) }
        records[record.id] = record
        order.append(record.id)
        if let reference = record.ownedReference { references[reference] = record.id }
        latest[record.lane] = record.id
        if let repeated = record.repeated { records[repeated]?.isAskedAgain = true }
        return actions + [.notify(.armed, record)]
    }

    /// Checks that a presentation is over, that its result names missing elements, and that nobody has asked for them
    /// again yet.
    ///
    /// - Parameter owner: the caller whose the new presentation will be.
    func checkAskingAgain(_ id: PresentationID, for owner: String) throws(PresentationServiceError) {
        guard let record = records[id] else { throw .presentationUnknown }
        guard record.conclusion != nil else { throw occupation(by: record, for: owner) }
        guard !record.isAskedAgain else { throw .askedAgain }
        guard record.hasMissingElements else { throw .nothingToAskAgain }
    }

    /// The reason why a lane has no place while a presentation runs there.
    private func occupation(by record: PresentationRecord, for owner: String) -> PresentationServiceError {
        let isOwn = record.owner == owner
        return record.state == .awaitingDecision
            ? .decisionOpen(record.id, isOwn: isOwn) : .laneBusy(record.id, isOwn: isOwn)
    }

    private mutating func makeRoom() throws(PresentationServiceError) -> [Action] {
        guard order.count >= limits.presentations else { return [] }
        guard let index = forgettable() else { throw .tooManyPresentations }
        let id = order.remove(at: index)
        guard let record = records.removeValue(forKey: id) else { return [] }
        if let reference = record.ownedReference { references[reference] = nil }
        if latest[record.lane] == id { latest[record.lane] = nil }
        return [.close(id, lane: record.lane)]
    }

    /// The oldest of the caller with the most, so that one caller's orders do not remove what others still fetch; of these,
    /// one that holds no documents where there is one.
    private func forgettable() -> Int? {
        let over = order.indices.filter { records[order[$0]]?.isForgettable ?? true }
        let counts = Dictionary(grouping: over) { records[order[$0]]?.owner }.mapValues(\.count)
        let most = counts.values.max()
        let own = over.filter { counts[records[order[$0]]?.owner] == most }
        return own.first { records[order[$0]]?.completion?.holdsElements != true } ?? own.first
    }

    /// A presentation that nobody was asked in is asked again: what it is judged by is of now.
    mutating func renew(_ record: PresentationRecord) -> [Action] {
        guard let before = records[record.id] else { return [] }
        records[record.id] = record
        if before.state != record.state { return [.notify(.armed, record)] }
        return before.hint == record.hint ? [] : [.notify(.hintChanged, record)]
    }

    /// A presentation that nobody was asked in leaves no trace.
    mutating func withdraw(_ id: PresentationID) -> [Action] {
        guard let record = records.removeValue(forKey: id) else { return [] }
        order.removeAll { $0 == id }
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
        let name = (newState == state ? nil : EventName(entering: newState)) ?? .hintChanged
        return [.notify(name, record)]
    }

    /// Somebody cancels it. False if it is too late for that.
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
        case .recording, .awaitingDecision, .over: return nil
        }
        let completion = PresentationRecord.Completion(
            report, then: further, shown: shown, of: record, isInterrupted: isInterrupted, at: now)
        records[id]?.phase = .recording(completion, before: record.state)
        return completion
    }

    /// What its order keeps was written: now it is over, or a person is to decide.
    mutating func complete(_ id: PresentationID, _ kept: Kept) -> [Action] {
        guard var record = records[id], case .recording(var completion, _) = record.phase else { return [] }
        completion.take(kept)
        record.take(completion)
        records[id] = record
        var actions = [Action.notify(record.conclusion == nil ? .awaitingDecision : .ended, record)]
        if record.conclusion == nil {
            actions.append(.wait(limits.decision, .decision, of: id))
        } else {
            if completion.shown != nil { actions.append(.wait(limits.shown, .shown, of: id)) }
            actions.append(.finish(record))
        }
        if completion.holdsElements { actions.append(.wait(limits.documents, .documents, of: id)) }
        return actions
    }

    /// A person decided, or closes a result on which nobody was asked to decide. What was shown is wiped.
    mutating func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision
    ) throws(PresentationServiceError) -> [Action] {
        guard let record = records[id] else { throw .presentationUnknown }
        switch record.phase {
        case .recording(let completion, _) where completion.decision == decision: return []
        case .running, .cancelling, .recording: throw .decisionNotDue
        case .awaitingDecision: return conclude(id, .decided(decision))
        case .over(let completion):
            if completion.decision == decision { return [] }
            guard decision == .dismissed, completion.evidence.person == .notAsked else {
                throw .decisionNotDue
            }
            return close(completion, of: record)
        }
    }

    /// The outcome stays.
    private mutating func close(
        _ completion: PresentationRecord.Completion, of record: PresentationRecord
    ) -> [Action] {
        guard completion.hint != .decided else { return [] }
        var closed = completion
        closed.shown = nil
        closed.hint = .decided
        var record = record
        record.phase = .over(closed)
        records[record.id] = record
        return [.notify(.wiped, record)]
    }

    private mutating func conclude(_ id: PresentationID, _ person: Conclusion.Evidence.Person) -> [Action] {
        guard var record = records[id], case .awaitingDecision(var completion) = record.phase else {
            return []
        }
        if isInterrupted { completion.evidence = .restarted } else { completion.evidence.person = person }
        guard let conclusion = completion.evidence.conclusion else { return [] }
        completion.shown = nil
        completion.hint = person == .overdue ? .wiped : .decided
        let retaining = conclusion.outcome == .allow ? completion.retaining : WaitingRetention()
        completion.retaining = WaitingRetention()
        if conclusion.outcome != .allow { completion.wipeElements() }
        var receipts = WaitingReceipts()
        if case .waiting(let waiting) = completion.receipt {
            receipts = waiting.ended(conclusion, decision: completion.decision)
        }
        // An outcome is reported only when a loss of power cannot undo it.
        record.phase = .recording(completion, before: .awaitingDecision)
        records[id] = record
        return [.write(receipts, retaining: retaining, of: id)]
    }

    /// What was approved was retained, until these deadlines.
    mutating func retained(until first: Timestamp?, further: Timestamp?, of id: PresentationID) {
        guard case .recording(var completion, let before)? = records[id]?.phase else { return }
        completion.retainedUntil = first
        completion.furtherRetainedUntil = further
        records[id]?.phase = .recording(completion, before: before)
    }

    /// Hands out the portrait of a data request, once.
    mutating func takePortrait(of id: PresentationID) throws(PresentationServiceError) -> ArraySlice<UInt8> {
        guard let record = records[id] else { throw .presentationUnknown }
        guard record.conclusion != nil, var completion = record.completion,
            let portrait = completion.dataPortrait
        else { throw .portraitGone }
        completion.isPortraitTaken = true
        records[id]?.take(completion)
        return portrait
    }

    mutating func expire(_ expiry: Expiry, of id: PresentationID) -> [Action] {
        if case .decision = expiry { return conclude(id, .overdue) }
        guard var record = records[id] else { return [] }
        if case .recording(var completion, let before) = record.phase {
            if case .documents = expiry { completion.wipeElements() } else { completion.shown = nil }
            record.phase = .recording(completion, before: before)
            records[id] = record
            return []
        }
        guard var completion = record.completion else { return [] }
        switch expiry {
        case .shown where completion.shown != nil: completion.shown = nil
        case .documents where completion.holdsElements: completion.wipeElements()
        case .shown, .documents, .decision: return []
        }
        // What a person decides on is still there.
        if record.conclusion != nil { completion.hint = .wiped }
        record.take(completion)
        records[id] = record
        return [.notify(.wiped, record)]
    }

    /// The receipts that waited for a decision were written, or could not be.
    mutating func wrote(_ written: WrittenReceipts, of id: PresentationID) -> [Action] {
        guard let record = records[id]?.decided(written) else { return [] }
        records[id] = record
        return [.notify(.ended, record), .finish(record)]
    }

    /// Receipts that could not be written when their presentation ended were written now.
    mutating func wroteDelayed(_ written: WrittenReceipts, of id: PresentationID) -> [Action] {
        guard written.first != nil || written.further != nil, var record = records[id],
            var completion = record.completion
        else { return [] }
        if let first = written.first { completion.receipt = .written(first) }
        if let further = written.further { completion.furtherReceipt = further }
        record.take(completion)
        records[id] = record
        return [.notify(.receiptWritten, record)]
    }

    /// The daemon is ending: what is cancelled or not decided from now on was interrupted by that.
    mutating func interrupt() {
        isInterrupted = true
    }

    /// Removes all personal data: the daemon ends.
    mutating func wipe() {
        for id in order {
            if case .recording(var completion, let before)? = records[id]?.phase {
                completion.wipe()
                records[id]?.phase = .recording(completion, before: before)
            } else if var completion = records[id]?.completion {
                completion.wipe()
                records[id]?.take(completion)
            }
        }
    }
}

extension PresentationRecord {
    fileprivate var ownedReference: OwnedReference? {
        order.reference.map { OwnedReference(owner: owner, reference: $0) }
    }
}

/// A reference among those of the caller who chose it: another's may be the same.
private struct OwnedReference: Hashable {
    let owner: String
    let reference: OrderReference
}

/// Limits of what the coordinator holds, and for how long.
package struct CoordinatorLimits: Equatable, Sendable {
    /// How many presentations are remembered; the oldest that are over go first.
    package var presentations = 1000
    /// How many presentations one caller may begin within an hour.
    package var ordersPerHour = 600
    /// How many may listen to events at once, over all lanes; one caller has half of it.
    package var listeners = 256
    /// For how long a name is shown where nobody is to decide.
    package var shown = Duration.seconds(120)
    /// For how long a person may decide; a portrait and a name are shown meanwhile.
    package var decision = Duration.seconds(120)
    /// For how long the documents of a data request can be fetched.
    package var documents = Duration.seconds(600)

    package init() {}
}
