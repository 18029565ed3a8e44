internal import MdocModel
internal import ReaderService
internal import ReaderStore
internal import Reports

/// The presentations of all lanes as one state machine: events go in, actions come out.
///
/// The book decides which presentation may begin, stores the phase of each presentation, and returns the
/// actions that have to follow. The book is a value that reads no clock, does no I/O and starts no task, so
/// that tests drive it directly. `PresentationCoordinator` owns the only book of a daemon, calls it on its
/// actor, and carries out the returned actions in their order.
///
/// A presentation passes through the phases of `PresentationRecord.Phase`:
/// 1. `insert` makes it the latest presentation of its lane, in the phase `running`.
/// 2. `apply` follows the phone. `cancel` enters `cancelling`, where the phone is notified.
/// 3. `end` stores the report and enters `recording`, while receipts and retained data are written.
/// 4. `complete` enters `over`, or `awaitingDecision` if a person has to decide.
/// 5. `decide`, or `expire` at the deadline, enters `recording` again and returns the receipts to write.
///   `wrote` then enters `over`.
///
/// A lane that repeats a preset by itself (a standing order) begins presentations before a phone is there.
/// Before the request is sent to a phone, such a presentation may also be replaced (`renew`) or removed
/// (`withdraw`).
///
/// An outcome is reported only after the store was asked to write its receipts. Personal data is removed at
/// its deadline, when a person does not approve, and when the daemon ends.
///
/// The book holds at most `CoordinatorLimits.presentations` presentations. A full book removes a finished
/// presentation of the caller with the most finished presentations, and refuses a new order if every
/// presentation is still running.
struct PresentationBook: Sendable {
    /// A step that the coordinator has to carry out.
    enum Action: Sendable {
        /// Notify the listeners of the presentation's lane.
        case notify(EventName, PresentationRecord)
        /// Retain the data, write the receipts, and call `wrote`. Returned when a person has decided or the
        /// time for a decision is over.
        case write(WaitingReceipts, retaining: WaitingRetention, of: PresentationID)
        /// Call `expire` after this time.
        case wait(Duration, Expiry, of: PresentationID)
        /// The book removed the presentation: disconnect its listeners.
        case close(PresentationID, lane: String)
        /// The presentation has its outcome, and the store was asked to write its receipts: count, log and
        /// send the outcome. Returned once for each presentation.
        case finish(PresentationRecord)
    }

    /// A deadline that has passed.
    enum Expiry: Equatable, Sendable {
        /// The time for which the clerk's page shows a name or a portrait.
        case shown
        /// The time in which a person may decide.
        case decision
        /// The time in which the caller may fetch the documents of a data request.
        case documents
        /// The time for which the pages show a hint about a scanned code. The number tells the hint apart from a
        /// later one.
        case codeHint(Int)
    }

    /// The receipts and the retained data of an ended presentation, either written or waiting for a decision.
    /// The members whose names begin with `further` belong to the second request of the session (`then`).
    struct Kept: Sendable {
        var receipt = PresentationRecord.Receipt.none
        var retainedUntil: Timestamp?
        var furtherReceipt: String?
        var furtherRetainedUntil: Timestamp?
        /// The data to retain if a person approves.
        var retaining = WaitingRetention()
    }

    /// The time for which the pages show a hint about a scanned code.
    static let codeHintTime = Duration.seconds(8)

    private let limits: CoordinatorLimits
    private var records: [PresentationID: PresentationRecord] = [:]
    /// The ids of `records`, oldest first.
    private var order: [PresentationID] = []
    private var references: [OwnedReference: PresentationID] = [:]
    /// The current or last presentation of each lane.
    private var latest: [String: PresentationID] = [:]
    /// Whether the daemon is ending. A presentation that is not over yet then ends as interrupted.
    private var isInterrupted = false
    /// The number of hints about scanned codes so far.
    private var codeHints = 0

    init(limits: CoordinatorLimits) {
        self.limits = limits
    }

    // MARK: Lookups

    subscript(id: PresentationID) -> PresentationRecord? { records[id] }

    /// The ids of all presentations in memory, oldest first.
    var ids: [PresentationID] { order }

    /// The current or last presentation of a lane.
    func latest(at lane: String) -> PresentationRecord? { latest[lane].flatMap { records[$0] } }

    func isBusy(lane: String) -> Bool { latest(at: lane).map { !$0.state.isOver } ?? false }

    /// Returns the presentation that `owner` ordered earlier with the reference of `order`. Returns `nil` if
    /// the order has no reference, or a new one.
    ///
    /// - Throws: `referenceTaken` if the earlier order differs.
    func record(
        orderedAs order: PresentationOrder, by owner: String
    ) throws(PresentationServiceError) -> PresentationRecord? {
        guard let reference = order.reference,
            let id = references[OwnedReference(owner: owner, reference: reference)], let record = records[id]
        else { return nil }
        guard record.order == order else { throw .referenceTaken }
        return record
    }

    /// The presentations that a caller ordered with one reference, sorted by `holder`, the number of the
    /// person under the reference. The repetition of a preset's order comes after the original order.
    func records(referredToAs name: String, by owner: String) -> [PresentationRecord] {
        let first = references.filter { $0.key.owner == owner && $0.key.reference.name == name }
            .compactMap { records[$0.value] }
        let repeats = order.compactMap { records[$0] }
            .filter { $0.owner == owner && $0.order.repeatedReference?.name == name }
        // The sort keeps the order of equal elements.
        return (first + repeats).sorted { $0.holder < $1.holder }
    }

    /// The lane of the caller's presentation to which a receipt belongs, or `nil` if no such presentation is
    /// in memory.
    func lane(ofReceipt receipt: String, of owner: String) -> String? {
        records.values.first { record in
            record.owner == owner
                && [record.completion?.receipt.id, record.completion?.furtherReceipt].contains(receipt)
        }?.lane
    }

    // MARK: Events

    /// Inserts a new presentation as the latest of its lane, and wipes the name and portrait that the lane
    /// still shows. Documents of the earlier presentation stay for the caller who ordered them.
    ///
    /// - Throws: `laneBusy` or `decisionOpen` if the lane's earlier presentation is not over,
    ///   `tooManyPresentations` if there is no room, or an error of `checkAskingAgain`.
    mutating func insert(_ record: PresentationRecord) throws(PresentationServiceError) -> [Action] {
        if let repeated = record.repeated { try checkAskingAgain(repeated.id, for: record.owner) }
        if let before = latest(at: record.lane), !before.state.isOver {
            throw occupation(by: before, for: record.owner)
        }
        var actions = try makeRoom()
        if let before = latest[record.lane] { actions += expire(.shown, of: before) }
        records[record.id] = record
        order.append(record.id)
        if let reference = record.ownedReference { references[reference] = record.id }
        latest[record.lane] = record.id
        if let repeated = record.repeated { records[repeated.id]?.isAskedAgain = true }
        return actions + [.notify(.armed, record)]
    }

    /// Checks that the order of a presentation may be repeated: the presentation is over, `isRepeatable` is
    /// true, and nobody has repeated the order yet.
    ///
    /// - Parameter owner: the caller to whom the new presentation will belong.
    func checkAskingAgain(_ id: PresentationID, for owner: String) throws(PresentationServiceError) {
        guard let record = records[id] else { throw .presentationUnknown }
        guard record.conclusion != nil else { throw occupation(by: record, for: owner) }
        guard !record.isAskedAgain else { throw .askedAgain }
        guard record.isRepeatable else { throw .nothingToAskAgain }
    }

    /// The error for an order at a lane where `record` is not over.
    private func occupation(by record: PresentationRecord, for owner: String) -> PresentationServiceError {
        let isOwn = record.owner == owner
        return record.state == .awaitingDecision
            ? .decisionOpen(record.id, isOwn: isOwn) : .laneBusy(record.id, isOwn: isOwn)
    }

    /// Removes one finished presentation if `limits.presentations` is reached.
    private mutating func makeRoom() throws(PresentationServiceError) -> [Action] {
        guard order.count >= limits.presentations else { return [] }
        guard let index = removableIndex() else { throw .tooManyPresentations }
        let id = order.remove(at: index)
        // There is always a record, since every id in `order` has one.
        guard let record = records.removeValue(forKey: id) else { return [] }
        if let reference = record.ownedReference { references[reference] = nil }
        if latest[record.lane] == id { latest[record.lane] = nil }
        return [.close(id, lane: record.lane)]
    }

    /// The index in `order` of the presentation to remove. The caller with the most finished presentations
    /// loses one of them, so that one caller's orders do not remove presentations that others still fetch.
    /// That presentation is the caller's oldest presentation without documents, or else the caller's oldest
    /// presentation.
    private func removableIndex() -> Int? {
        // The default is never used, because every id in `order` has a record.
        let finished = order.indices.filter { records[order[$0]]?.isForgettable ?? true }
        let counts = Dictionary(grouping: finished) { records[order[$0]]?.owner }.mapValues(\.count)
        let largest = counts.values.max()
        let candidates = finished.filter { counts[records[order[$0]]?.owner] == largest }
        return candidates.first { records[order[$0]]?.completion?.holdsElements != true } ?? candidates.first
    }

    /// Replaces a presentation whose request was not sent to a phone yet by a copy with the current trust,
    /// policy and time.
    mutating func renew(_ record: PresentationRecord) -> [Action] {
        guard let before = records[record.id] else { return [] }
        var record = record
        // The customer may still be reading the hint about a code.
        if before.isArmed, before.codeHint != nil {
            (record.phase, record.codeHint) = (before.phase, before.codeHint)
        }
        records[record.id] = record
        // The copy is in the first state (`armed`) with the first hint. Listeners are notified if the earlier
        // state or hint was different.
        if before.state != record.state { return [.notify(.armed, record)] }
        return before.hint == record.hint ? [] : [.notify(.hintChanged, record)]
    }

    /// Removes a presentation whose request was not sent to any phone.
    mutating func withdraw(_ id: PresentationID) -> [Action] {
        guard let record = records.removeValue(forKey: id) else { return [] }
        order.removeAll { $0 == id }
        // Only a standing order's presentation is withdrawn, and such an order has no reference to remove.
        if latest[record.lane] == id { latest[record.lane] = nil }
        return [.close(id, lane: record.lane)]
    }

    /// Updates state and hint after an event between reader and phone. When the wait for the holder begins,
    /// the record gets the time at which that wait ends.
    mutating func apply(_ event: PresentationEvent, to id: PresentationID, at now: Timestamp) -> [Action] {
        guard var record = records[id], case .running(let state, let hint) = record.phase else { return [] }
        let (newState, newHint) = (event.state ?? state, event.hint(after: hint))
        guard (newState, newHint) != (state, hint) else { return [] }
        record.phase = .running(newState, hint: newHint)
        if newHint?.isOfCode != true { record.codeHint = nil }
        if newState == .awaitingConsent, state != newState {
            record.waitEnd = now.advanced(bySeconds: record.consentLimit.components.seconds)
        }
        records[id] = record
        // Each state that is not final has an event with its name, and a phone's events never lead to a final
        // state. `hintChanged` is therefore sent only if the state stays the same.
        let name = (newState == state ? nil : EventName(entering: newState)) ?? .hintChanged
        return [.notify(name, record)]
    }

    /// Shows a hint about a scanned code for `codeHintTime`, while a presentation waits for a phone. The state does
    /// not change. Afterwards, or with the next event of a phone, the earlier hint is shown again.
    mutating func showCodeHint(_ hint: PresentationHint, of id: PresentationID) -> [Action] {
        guard var record = records[id], case .running(.armed, let before) = record.phase else { return [] }
        codeHints += 1
        let shown = PresentationRecord.CodeHint(
            number: codeHints,
            // A second code hint must not bring back the first one.
            before: record.codeHint.map(\.before) ?? before)
        record.codeHint = shown
        record.phase = .running(.armed, hint: hint)
        records[id] = record
        let wait = Action.wait(Self.codeHintTime, .codeHint(shown.number), of: id)
        return hint == before ? [wait] : [.notify(.hintChanged, record), wait]
    }

    /// Ends the hint with this number, unless a later hint or an event has replaced it.
    private mutating func endCodeHint(_ number: Int, of id: PresentationID) -> [Action] {
        guard var record = records[id], record.isArmed, let shown = record.codeHint, shown.number == number
        else { return [] }
        record.codeHint = nil
        record.phase = .running(.armed, hint: shown.before)
        records[id] = record
        return [.notify(.hintChanged, record)]
    }

    /// Cancels a running presentation.
    ///
    /// - Returns: false if the presentation is no longer running.
    mutating func cancel(_ id: PresentationID) -> Bool {
        guard case .running? = records[id]?.phase else { return false }
        records[id]?.phase = .cancelling
        return true
    }

    /// Stores the result of a presentation. The record shows its earlier state until `complete`.
    ///
    /// - Returns: the result, or `nil` if the presentation has a result already.
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

    /// Ends the presentation after its receipts and data were written, or begins to wait for a person's
    /// decision.
    mutating func complete(_ id: PresentationID, _ kept: Kept) -> [Action] {
        guard var record = records[id], case .recording(var completion, _) = record.phase else { return [] }
        completion.add(kept)
        record.setResult(completion)
        if record.conclusion == nil {
            record.waitEnd = completion.ended.advanced(bySeconds: limits.decision.components.seconds)
        }
        records[id] = record
        var actions = [Action.notify(record.conclusion == nil ? .awaitingDecision : .ended, record)]
        if record.conclusion == nil {
            // The end of this wait also wipes the name and the portrait.
            actions.append(.wait(limits.decision, .decision, of: id))
        } else {
            if completion.shown != nil { actions.append(.wait(limits.shown, .shown, of: id)) }
            actions.append(.finish(record))
        }
        if completion.holdsElements { actions.append(.wait(limits.documents, .documents, of: id)) }
        return actions
    }

    /// Records a person's decision, or closes a result on which nobody has to decide. The name and the
    /// portrait are wiped in both cases.
    ///
    /// - Parameter source: the page from which the decision came, for the receipts; `nil` if receipts have no
    ///   word for the source.
    /// - Throws: `decisionNotDue` if the presentation waits for no decision, or a different decision was
    ///   made already.
    mutating func decide(
        _ id: PresentationID, _ decision: PresentationRecord.Decision,
        from source: ReceiptStatement.DecisionSource? = nil
    ) throws(PresentationServiceError) -> [Action] {
        guard let record = records[id] else { throw .presentationUnknown }
        switch record.phase {
        // A repetition of the same decision is not refused, since the first HTTP response may have been lost.
        case .recording(let completion, _) where completion.decision == decision: return []
        case .running, .cancelling, .recording: throw .decisionNotDue
        case .awaitingDecision: return conclude(id, .decided(decision), from: source)
        case .over(let completion):
            if completion.decision == decision { return [] }
            guard decision == .dismissed, completion.evidence.person == .notAsked else {
                throw .decisionNotDue
            }
            return close(completion, of: record)
        }
    }

    /// Wipes the name and the portrait of a presentation that is over. The outcome does not change.
    private mutating func close(
        _ completion: PresentationRecord.Completion, of record: PresentationRecord
    ) -> [Action] {
        // A person has already decided on this result or closed it, so nothing is left to wipe.
        guard completion.hint != .decided else { return [] }
        var closed = completion
        closed.shown = nil
        closed.hint = .decided
        var record = record
        record.phase = .over(closed)
        records[record.id] = record
        return [.notify(.wiped, record)]
    }

    /// Ends the wait for a decision, and returns the receipts to write.
    private mutating func conclude(
        _ id: PresentationID, _ person: Conclusion.Evidence.Person,
        from source: ReceiptStatement.DecisionSource? = nil
    ) -> [Action] {
        guard var record = records[id], case .awaitingDecision(var completion) = record.phase else {
            return []
        }
        // If the daemon is ending, the reason is `restarted` and not `overdue`: the person still had time to
        // decide.
        if isInterrupted { completion.evidence = .restarted } else { completion.evidence.person = person }
        // The conclusion is never `nil` here: only the person's part was missing, and it is set above.
        guard let conclusion = completion.evidence.conclusion else { return [] }
        completion.shown = nil
        completion.hint = person == .overdue ? .wiped : .decided
        let retaining = conclusion.outcome == .allow ? completion.retaining : WaitingRetention()
        completion.retaining = WaitingRetention()
        if conclusion.outcome != .allow { completion.wipeElements() }
        var receipts = WaitingReceipts()
        if case .waiting(let waiting) = completion.receipt {
            receipts = waiting.ended(conclusion, decision: completion.decision, from: source)
        }
        // The outcome is reported after the write, so that a loss of power cannot undo a reported outcome.
        record.phase = .recording(completion, before: .awaitingDecision)
        records[id] = record
        return [.write(receipts, retaining: retaining, of: id)]
    }

    /// Records the deadlines of data that was retained after a person approved.
    mutating func retained(until first: Timestamp?, further: Timestamp?, of id: PresentationID) {
        guard case .recording(var completion, let before)? = records[id]?.phase else { return }
        completion.retainedUntil = first
        completion.furtherRetainedUntil = further
        records[id]?.phase = .recording(completion, before: before)
    }

    /// Returns the portrait of a data request, on the first call only.
    ///
    /// - Throws: `portraitGone` if there is no portrait, or the portrait was returned before.
    mutating func takePortrait(of id: PresentationID) throws(PresentationServiceError) -> ArraySlice<UInt8> {
        guard let record = records[id] else { throw .presentationUnknown }
        // No element is returned before the outcome is decided.
        guard record.conclusion != nil, var completion = record.completion,
            let portrait = completion.dataPortrait
        else { throw .portraitGone }
        completion.isPortraitTaken = true
        records[id]?.setResult(completion)
        return portrait
    }

    /// Removes the personal data whose deadline has passed, or ends the wait for a decision.
    mutating func expire(_ expiry: Expiry, of id: PresentationID) -> [Action] {
        if case .decision = expiry { return conclude(id, .overdue) }
        if case .codeHint(let number) = expiry { return endCodeHint(number, of: id) }
        guard var record = records[id] else { return [] }
        if case .recording(var completion, let before) = record.phase {
            // No listener is notified here, because `complete` or `wrote` follows and notifies the listeners
            // of the changed record.
            if case .documents = expiry { completion.wipeElements() } else { completion.shown = nil }
            record.phase = .recording(completion, before: before)
            records[id] = record
            return []
        }
        guard var completion = record.completion else { return [] }
        switch expiry {
        case .shown where completion.shown != nil: completion.shown = nil
        case .documents where completion.holdsElements: completion.wipeElements()
        case .shown, .documents, .decision, .codeHint: return []
        }
        // While a person has to decide, the hint stays, because only the documents were removed.
        if record.conclusion != nil { completion.hint = .wiped }
        record.setResult(completion)
        records[id] = record
        return [.notify(.wiped, record)]
    }

    /// The caller's presentations that retain data under a reference, oldest first. A presentation without a
    /// reference retains data under its id.
    private func records(retainedUnder reference: String, by owner: String) -> [PresentationRecord] {
        order.compactMap { records[$0] }
            // The store tells references apart by their bytes; `==` takes "é" in its two forms for one text.
            .filter { $0.owner == owner && $0.retentionReference.utf8.elementsEqual(reference.utf8) }
    }

    /// Returns the caller's running presentation that would retain data under this reference. The data may
    /// not have arrived yet.
    ///
    /// - Parameter isCovered: returns whether a presentation is considered, given the owner of its retained
    ///   data.
    /// - Returns: The id, or `nil` if no such presentation is running.
    func unfinished(
        retainedUnder reference: String, by caller: String, where isCovered: (RetentionOwner) -> Bool
    ) -> PresentationID? {
        records(retainedUnder: reference, by: caller)
            .first { $0.conclusion == nil && isCovered($0.retentionOwner) }?.id
    }

    /// Removes the elements, the name and the portrait from the caller's finished presentations that retain
    /// data under one reference.
    ///
    /// - Parameter isCovered: returns whether a presentation is included, given the owner of its retained
    ///   data.
    mutating func wipeElements(
        retainedUnder reference: String, by caller: String, where isCovered: (RetentionOwner) -> Bool
    ) -> [Action] {
        records(retainedUnder: reference, by: caller)
            .filter { $0.conclusion != nil && isCovered($0.retentionOwner) }
            .flatMap { expire(.documents, of: $0.id) + expire(.shown, of: $0.id) }
    }

    /// The caller's presentations whose data is retained under one reference.
    ///
    /// - Parameter isCovered: returns whether a presentation is included, given the owner of its retained
    ///   data.
    func retaining(
        under reference: String, by caller: String, where isCovered: (RetentionOwner) -> Bool
    ) -> [PresentationID] {
        records(retainedUnder: reference, by: caller)
            .filter { $0.completion?.retainsData == true && isCovered($0.retentionOwner) }.map(\.id)
    }

    /// Records that the retained data of these presentations was deleted, so that `retainedUntil` names no
    /// deadline any more.
    mutating func deletedRetained(of ids: [PresentationID]) {
        for id in ids {
            guard var record = records[id], var completion = record.completion else { continue }
            completion.retainedUntil = nil
            completion.furtherRetainedUntil = nil
            record.setResult(completion)
            records[id] = record
        }
    }

    /// Ends a presentation on which a person had to decide, after the attempt to write its receipts.
    mutating func wrote(_ written: WrittenReceipts, of id: PresentationID) -> [Action] {
        guard let record = records[id]?.decided(written) else { return [] }
        records[id] = record
        return [.notify(.ended, record), .finish(record)]
    }

    /// Records receipts that the store refused when the presentation ended, and accepted later.
    mutating func wroteDelayed(_ written: WrittenReceipts, of id: PresentationID) -> [Action] {
        guard written.first != nil || written.further != nil, var record = records[id],
            var completion = record.completion
        else { return [] }
        if let first = written.first { completion.receipt = .written(first) }
        if let further = written.further { completion.furtherReceipt = further }
        record.setResult(completion)
        records[id] = record
        return [.notify(.receiptWritten, record)]
    }

    /// Marks the daemon as ending. From now on, a presentation that is cancelled, or whose decision is open,
    /// ends as interrupted.
    mutating func interrupt() {
        isInterrupted = true
    }

    /// Removes the personal data of all presentations when the daemon ends.
    mutating func wipe() {
        for id in order {
            if case .recording(var completion, let before)? = records[id]?.phase {
                // `completion` of the record is `nil` in this phase, although there is personal data.
                completion.wipe()
                records[id]?.phase = .recording(completion, before: before)
            } else if var completion = records[id]?.completion {
                completion.wipe()
                records[id]?.setResult(completion)
            }
        }
    }
}

extension PresentationRecord {
    /// The number of the person under the reference.
    fileprivate var holder: Int { (order.reference ?? order.repeatedReference)?.holder ?? 1 }

    fileprivate var ownedReference: OwnedReference? {
        order.reference.map { OwnedReference(owner: owner, reference: $0) }
    }
}

/// A reference with the caller who chose it, since two callers may choose the same reference.
private struct OwnedReference: Hashable {
    let owner: String
    let reference: OrderReference
}

/// The limits of a coordinator: the maximum numbers of presentations, orders and listeners, and the times for
/// which personal data stays in memory.
package struct CoordinatorLimits: Equatable, Sendable {
    /// The maximum number of presentations in memory. A new presentation above this number replaces a
    /// finished one.
    package var presentations = 1000
    /// The maximum number of presentations that one caller may begin within an hour.
    package var ordersPerHour = 600
    /// The maximum number of event listeners of all lanes. One caller may have half of them.
    package var listeners = 256
    /// The time for which a name is shown if nobody has to decide.
    package var shown = Duration.seconds(120)
    /// The time in which a person may decide. The portrait and the name are shown meanwhile.
    package var decision = Duration.seconds(120)
    /// The time in which the documents of a data request can be fetched.
    package var documents = Duration.seconds(600)

    package init() {}
}
