package import Accessories
internal import Logging
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// The programs that serve the accessories, and the outputs that they give.
///
/// An output is recorded in the transaction that stores the outcome of its presentation (`outputs(for:)`), and
/// announced after that transaction (`announce`). A program reserves an output with `giveOutput` before its contact
/// closes, and reports the end with `finishOutput`. The store has the final word: whatever happens to this
/// process, an output is given at most once.
extension PresentationCoordinator {
    /// The word for the state of a lane without a presentation, or whose last result is no longer shown.
    package static let idle = "idle"

    // MARK: Accessories

    /// Replaces the accessories by those of a new configuration. The outputs of a changed accessory that nobody has
    /// given are not given any more.
    package func replaceAccessories(by accessories: [Accessory]) {
        let change = desk.replace(accessories, acceptsTestDocuments: basis.acceptsTestDocuments)
        settle(dueOutputs.removeDue(ofAccessories: change.ended), as: .notGiven)
        tries.abandon(ofAccessories: change.ended)
        accessoriesChanged(atLanes: change.lanes)
    }

    /// Reports the lanes and their presets to the programs. Called after a lane was added or removed.
    func describeLanes() {
        desk.describe(lanes.all.map { (name: $0.lane.name, presets: $0.presets.map(\.name)) })
    }

    /// The accessories of a lane with their states; with `nil`, the accessories of all lanes.
    package func accessoryReports(ofLane name: String? = nil) -> [AccessoryReport] {
        (name.map { desk.accessories(at: $0) } ?? desk.accessories)
            .map { AccessoryReport($0, state: desk.state(of: $0)) }
    }

    /// The reason why the standing order of a lane has to be paused, because a required output cannot act; `nil` if
    /// there is none.
    package func accessoryFault(atLane name: String) -> PresentationServiceError? {
        desk.unusableOutput(at: name).map { .accessoryNotReady($0.name) }
    }

    /// Records the state that a program reports of an accessory.
    ///
    /// - Throws: `accessoryUnknown`, or `accessoryNotConnected` if the program has no open stream.
    package func record(
        _ state: AccessoryState, ofAccessory name: String, by caller: KnownCaller
    ) throws(PresentationServiceError) {
        let accessory = try accessory(name, of: caller)
        guard let stream = desk.key(of: caller) else { throw .accessoryNotConnected }
        guard desk.record(state, of: accessory, from: stream) else { return }
        log.notice(
            "an accessory has another state",
            metadata: ["accessory": "\(name)", "state": "\(desk.state(of: accessory).rawValue)"])
        accessoriesChanged(atLanes: [accessory.lane])
    }

    /// The accessory with this name, if it belongs to a lane of the caller.
    func accessory(
        _ name: String, of caller: KnownCaller
    ) throws(PresentationServiceError) -> Accessory {
        guard caller.scopes.contains(.accessory), let accessory = desk[name],
            accessory.lane.map(caller.covers) ?? true
        else { throw .accessoryUnknown }
        return accessory
    }

    /// Notifies the listeners of lanes whose accessories changed. `nil` stands for all lanes.
    private func accessoriesChanged(atLanes names: [String?]) {
        for name in laneNames where names.contains(nil) || names.contains(name) {
            accessoriesChanged(at: name)
        }
    }

    /// Notifies the listeners of a lane, and stops its wait for a phone if a required output cannot act.
    private func accessoriesChanged(at name: String) {
        notify(.laneChanged, ofLane: name)
        guard accessoryFault(atLane: name) != nil, standing.contains(lane: name) else { return }
        // The reservation ends the wait. The next attempt of the lane then finds the reason and reports the pause.
        // An exchange with a phone that is there already goes on.
        Task {
            await reserveTurn(lane: name)
            releaseTurn(lane: name)
        }
    }

    // MARK: Streams

    /// Opens the event stream of a program that serves accessories.
    ///
    /// - Parameter lost: called if the program reads too slowly and is disconnected.
    /// - Throws: `shuttingDown`, or `tooManyListeners`.
    package func listenToAccessories(
        by caller: KnownCaller, lost: @escaping @Sendable () -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        guard !isEnding else { throw .shuttingDown }
        // The program has connected again before the end of its earlier connection was noticed.
        if let earlier = desk.key(of: caller) { endStream(earlier) }
        for name in laneNames { reportHealth(ofLane: name) }
        return try desk.open(
            by: caller, lost: lost,
            ended: { key in Task { await self.endStream(key) } })
    }

    /// Ends a stream. Nobody knows any more whether the outputs that its program gave were carried out.
    private func endStream(_ key: Int) {
        let changed = desk.close(key)
        tries.abandon(by: key)
        let given = dueOutputs.removeGiven(by: key)
        for output in given {
            log.warning(
                "the program of an accessory left before it reported the end of an output",
                metadata: ["accessory": "\(output.accessory)", "presentation": "\(output.presentation)"])
        }
        settle(given.map(\.number), as: .unknown)
        if !changed.isEmpty { accessoriesChanged(atLanes: changed) }
    }

    /// Reports the state of a lane to the programs.
    func reportLane(_ name: String) {
        guard let record = book.latest(at: name), lanes[name] != nil else {
            return desk.record(lane: name, state: Self.idle, takesCode: false)
        }
        // A result that was shown long enough stays `idle`, whatever is removed from it later.
        guard !record.state.isOver || !desk.isIdle(lane: name) else { return }
        desk.record(
            lane: name, state: record.state.rawValue, takesCode: record.isArmed && !gate.isWaiting(record.id))
    }

    /// Reports to the programs whether the standing order of a lane is paused, and whether its reader or one of its
    /// accessories is not ready.
    func reportHealth(ofLane name: String) {
        guard lanes[name] != nil else { return }
        desk.record(
            lane: name, isPaused: standing.pause(of: name) != nil,
            hasProblem: lanes.isUnavailable(name) || desk.hasUnusableAccessory(at: name))
    }

    /// Reports a lane as idle once its result was shown long enough.
    func reportIdle(after record: PresentationRecord) {
        guard let page = lanes[record.lane]?.page else { return }
        let (id, name) = (record.id, record.lane)
        Task { [weak self] in
            try? await Task.sleep(for: .seconds(page.resultSeconds), clock: .continuous)
            await self?.endResult(of: id, at: name)
        }
    }

    private func endResult(of id: PresentationID, at name: String) {
        guard let record = book.latest(at: name), record.id == id, record.state.isOver else { return }
        desk.record(lane: name, state: Self.idle, takesCode: false)
    }

    // MARK: Outputs

    /// The outputs to record with an ended presentation: those that act on its outcome, and those that would act
    /// but do not accept how it was found.
    func outputs(for record: PresentationRecord) -> [NewOutput] {
        guard let facts = record.outputFacts else { return [] }
        return desk.outputs(at: record.lane).compactMap { accessory in
            // The form of an accessory's name is stricter than that of a label, so there is always a label.
            guard let label = ReceiptLabel(accessory.name) else { return nil }
            switch accessory.decide(on: facts) {
            case .silent: return nil
            case .refused: return NewOutput(accessory: label, isRefused: true)
            case .due: return NewOutput(accessory: label, isRefused: false)
            }
        }
    }

    /// Announces the outputs of a presentation that the store has recorded as due.
    ///
    /// - Parameters:
    ///   - code: the six digits of the presentation.
    ///   - start: the instant of the outcome, from which the outputs' time is counted.
    func announce(
        _ stored: [StoredOutput], of record: PresentationRecord, code: String,
        since start: ContinuousClock.Instant
    ) {
        guard let facts = record.outputFacts else { return }
        for output in stored where output.state == .due {
            // Nothing acts any more while the daemon ends, and neither does an accessory that a reload removed, moved
            // to another lane or changed while the outcome was written.
            let accessory = desk.outputs(at: record.lane).first { $0.name == output.accessory.text }
            guard !isEnding, let accessory, accessory.decide(on: facts) == .due,
                let rule = accessory.output?.rule
            else {
                settle([output.number], as: .notGiven)
                continue
            }
            let deadline = start + rule.valid
            let due = DueOutput(
                number: output.number, accessory: output.accessory.text, lane: record.lane,
                presentation: record.id.description, outcome: facts.outcome, isTest: facts.isTest == true,
                age: record.askedAge, code: code)
            dueOutputs.insert(due, until: deadline)
            desk.announce(due)
            expire(output.number, at: deadline)
        }
    }

    /// Reserves an output for the program that will carry it out. When the function returns, the store has
    /// recorded that the output is given, and nobody gives it again.
    ///
    /// - Throws: `accessoryUnknown`; `outputNotDue` if the output is over its time, was given before, or belongs to
    ///   an earlier run of the daemon, or if the program has no open stream; `recordsUnavailable`.
    package func giveOutput(
        _ number: Int64, ofAccessory name: String, by caller: KnownCaller
    ) async throws(PresentationServiceError) {
        let stream = try checkOutput(number, ofAccessory: name, by: caller)
        guard let archive, dueOutputs.beginGiving(number, at: .now) else { throw .outputNotDue }
        do throws(PresentationServiceError) {
            guard try await archive.giveOutput(number) else {
                dueOutputs.remove(number)
                throw .outputNotDue
            }
        } catch {
            // The store has the last word, even if it recorded the output and the answer was lost: it gives no
            // output twice.
            dueOutputs.cancelGiving(number)
            expireOutput(number)
            throw error
        }
        // The write may have taken long. An accessory must not act late, or without somebody who reports the end.
        guard !dueOutputs.isOver(number, at: .now), desk.isOpen(stream) else {
            dueOutputs.remove(number)
            settle([number], as: .unknown)
            throw .outputNotDue
        }
        dueOutputs.endGiving(number, by: stream)
    }

    /// Records the end of an output that the caller's program gave, or that its accessory refuses.
    ///
    /// - Parameter end: how the output ended.
    /// - Throws: as `giveOutput`.
    package func finishOutput(
        _ number: Int64, ofAccessory name: String, as end: ReportedEnd, by caller: KnownCaller
    ) async throws(PresentationServiceError) {
        let stream = try checkOutput(number, ofAccessory: name, by: caller)
        guard let archive else { throw .outputNotDue }
        switch end {
        case .refused:
            guard dueOutputs.removeDue(number) else { throw .outputNotDue }
        case .done, .unknown:
            guard dueOutputs.isGiven(number, by: stream) else { throw .outputNotDue }
        }
        // After an error the output stays given, so that the program can report its end again.
        guard try await archive.finishOutput(number, as: end.state) else { throw .outputNotDue }
        dueOutputs.remove(number)
    }

    /// Checks that an output of this run belongs to the accessory, and the accessory and lane to the caller.
    ///
    /// - Returns: the key of the caller's stream.
    private func checkOutput(
        _ number: Int64, ofAccessory name: String, by caller: KnownCaller
    ) throws(PresentationServiceError) -> Int {
        // An accessory that a reload has removed may still end the output that it was given.
        if dueOutputs.output(number, of: name) == nil { _ = try accessory(name, of: caller) }
        guard caller.scopes.contains(.accessory), let stream = desk.key(of: caller),
            let output = dueOutputs.output(number, of: name),
            caller.covers(lane: output.lane)
        else { throw .outputNotDue }
        return stream
    }

    private func expire(_ number: Int64, at deadline: ContinuousClock.Instant) {
        Task { [weak self] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            await self?.expireOutput(number)
        }
    }

    /// Ends an output whose time is over and that nobody has given.
    private func expireOutput(_ number: Int64) {
        guard dueOutputs.isOver(number, at: .now), dueOutputs.removeDue(number) else { return }
        settle([number], as: .notGiven)
    }

    /// Records the end of outputs without a program that waits for it. If the store refuses, the next start of the
    /// daemon settles them in the same way.
    func settle(_ numbers: [Int64], as state: OutputState) {
        guard let archive, !numbers.isEmpty else { return }
        Task { for number in numbers { _ = try? await archive.finishOutput(number, as: state) } }
    }
}

/// The end of an output, as the program of its accessory reports it.
package enum ReportedEnd: String, CaseIterable, Sendable {
    /// The accessory has acted.
    case done
    /// The accessory may have acted, and nobody knows.
    case unknown
    /// The accessory has not acted and will not.
    case refused

    fileprivate var state: OutputState {
        switch self {
        case .done: .done
        case .unknown: .unknown
        case .refused: .refused
        }
    }
}

extension PresentationRecord {
    /// The facts that decide about the outputs, or `nil` until the outcome is decided.
    fileprivate var outputFacts: OutputFacts? {
        guard let conclusion, let completion,
            let outcome = AccessoryOutcome(rawValue: conclusion.outcome.rawValue)
        else { return nil }
        return OutputFacts(
            outcome: outcome,
            engagement: completion.report?.engagementKind.map { OutputRule.Engagement($0) },
            // A person's decision only confirms what the machine found.
            method: .machineValidation, isTest: completion.hasTestDocument)
    }

    /// The age that the order asks about: the highest, if it asks about several. `nil` without such a question.
    fileprivate var askedAge: Int? {
        order.intent.claims.compactMap { if case .ageOver(let years) = $0 { years } else { nil } }.max()
    }
}
