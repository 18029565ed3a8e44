package import JSON
internal import Logging
internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import Reports
internal import Transport

extension PresentationCoordinator {
    /// Sends an event of a presentation to the listeners of its lane. Pages receive events of the lane's
    /// latest presentation only.
    func notify(_ name: EventName, of record: PresentationRecord) {
        logs.append(
            name, record.event(at: now), ownersData: name == .ended ? record.endedEvent(at: now) : nil,
            of: record, isLatest: book.latest(at: record.lane)?.id == record.id)
    }

    /// Sends an event of the lane itself to its listeners.
    func notify(_ name: EventName, ofLane lane: String) {
        logs.append(name, laneEvent(lane), ofLane: lane)
        // Each change of a pause, of an accessory or of a reader is such an event.
        reportHealth(ofLane: lane)
    }

    private func laneEvent(_ lane: String) -> JSONValue { ["lane": .string(lane), "at": .string("\(now)")] }

    /// The latest event of a presentation, for a listener that just connected. `nil` while a presentation is
    /// being cancelled, since its end follows immediately.
    private func latestEvent(
        of record: PresentationRecord, for caller: KnownCaller
    ) -> (name: EventName, data: JSONValue)? {
        if record.conclusion == nil {
            return EventName(entering: record.state).map { ($0, record.event(at: now)) }
        }
        let isOwner = caller.owns(record)
        return (.ended, isOwner ? record.endedEvent(at: now) : record.event(at: now))
    }

    /// Returns the events of a lane, or of one presentation at that lane, from the event after `lastID` on.
    ///
    /// - Parameters:
    ///   - lastID: the id of the last event that the listener received; `nil` to begin with the current
    ///     state.
    ///   - lost: called if the listener reads too slowly and is disconnected.
    /// - Throws: `laneUnknown` if the lane is unknown or not one of the caller's, `shuttingDown`, or
    ///   `tooManyListeners`.
    package func listen(
        toLane name: String, presentation: PresentationID? = nil, by caller: KnownCaller,
        after lastID: String?, lost: @escaping @Sendable () -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        guard logs.contains(lane: name), caller.sees(lane: name) else { throw .laneUnknown }
        guard !isEnding else { throw .shuttingDown }
        // The presentation whose state a new listener receives first, if the caller may see it.
        let shown = (presentation.map { book[$0] } ?? book.latest(at: name))
            .flatMap { scopes(of: caller, over: $0).isEmpty ? nil : $0 }
        let latest =
            if let shown {
                latestEvent(of: shown, for: caller)
            } else {
                (name: EventName.laneChanged, data: laneEvent(name))
            }
        return try logs.listen(
            toLane: name, presentation: presentation, by: caller, after: lastID, latest: latest, lost: lost,
            ended: { key in Task { await self.leave(lane: name, key) } })
    }

    /// Ends the event streams of callers who may no longer listen.
    package func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        logs.endStreams(unless: mayListen)
        desk.endStreams(unless: mayListen)
    }

    private func leave(lane name: String, _ key: Int) {
        logs.leave(lane: name, key)
    }

    package var listenerCount: Int { logs.listenerCount }

    /// The longest time, in seconds, between two messages to a listener. A listener that receives nothing for
    /// longer should connect again.
    package static let heartbeatSeconds: Int64 = 15

    /// Sends every listener a comment line once per heartbeat, until the task is cancelled. Also notifies the
    /// listeners of a lane whose reader was removed or came back.
    package func beat() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.heartbeatSeconds), clock: .continuous)
            logs.beat()
            desk.beat()
            // In parallel: a lane whose device hangs must not delay the next heartbeat of the other lanes.
            await withDiscardingTaskGroup { group in
                for name in laneNames where logs.hasListeners(lane: name) || desk.publishesProblems {
                    // `readiness` itself notifies the listeners of a change.
                    group.addTask { _ = await self.readiness(ofLane: name) }
                }
            }
        }
    }

    /// Inspects the devices of all lanes in parallel, so that a lane whose device hangs delays no other. For
    /// 2 s, `readiness(ofLane:)` returns these results without another inspection.
    package func inspectLanes() async {
        await withDiscardingTaskGroup { group in
            for lane in lanes.all { group.addTask { _ = await lane.lane.readiness() } }
        }
    }

    /// Inspects the devices of a lane, and returns whether and how a presentation can run there; `nil` if
    /// there is no such lane. If the result differs from the last result, the lane's listeners are notified.
    package func readiness(ofLane name: String) async -> LaneReadiness? {
        guard let readiness = await lanes[name]?.lane.readiness() else { return nil }
        let isChanged = lanes.record(readiness, of: name)
        // The first result of a lane is no change.
        reportHealth(ofLane: name)
        if isChanged {
            notify(.laneChanged, ofLane: name)
            if case .withoutBluetooth(let fault) = readiness { report(fault, atLane: name) }
        }
        return readiness
    }

    /// Logs a fault that bluetoothd reported. A fault that Countersign found itself, such as a missing
    /// adapter, appears only in the readiness of the lane.
    private func report(_ fault: RadioFault, atLane name: String) {
        guard fault.refusal != nil else { return }
        log.error("a lane has no Bluetooth", metadata: ["lane": "\(name)", "advice": "\(fault.advice)"])
    }

    /// Inspects the devices of each lane before its first customer, and logs what bluetoothd refuses there
    /// (Q239). A lane whose device hangs delays no other.
    package func inspectLanesAtStart() async {
        await withDiscardingTaskGroup { group in
            for name in laneNames { group.addTask { await self.inspectLanesAtStart(lane: name) } }
        }
    }

    /// Inspects the devices of one lane, and logs what bluetoothd refuses there.
    private func inspectLanesAtStart(lane name: String) async {
        switch await readiness(ofLane: name) {
        // `readiness` itself logs only a change, and the first result of a lane is no change.
        case .withoutBluetooth(let fault): report(fault, atLane: name)
        // `readiness` stops at the missing reader and does not try the radio.
        case .unavailable: if let fault = await lanes[name]?.lane.radioFault() { report(fault, atLane: name) }
        case .ready, nil: break
        }
    }
}

/// The functions that return presentations only to callers who may access them.
extension PresentationCoordinator {
    /// Returns a presentation that the caller may access by one of the needed scopes, and all scopes by which
    /// the caller may access it.
    ///
    /// - Throws: `presentationUnknown`, also if the presentation exists and the caller may not access it:
    ///   nobody learns that another caller's presentation exists.
    package func presentation(
        _ id: PresentationID, for caller: KnownCaller, by needed: Set<Scope>
    ) throws(PresentationServiceError) -> (record: PresentationRecord, scopes: Set<Scope>) {
        let record = try record(id)
        let scopes = scopes(of: caller, over: record)
        guard !scopes.isDisjoint(with: needed) else { throw .presentationUnknown }
        return (record, scopes)
    }

    /// The scopes by which a caller may access a presentation.
    package func scopes(of caller: KnownCaller, over record: PresentationRecord) -> Set<Scope> {
        caller.scopes(over: record, latest: book.latest(at: record.lane)?.id)
    }
}

extension PresentationCoordinator {
    /// Returns one page of the caller's presentations, newest first. For the administrator, the page has the
    /// presentations of all callers, without answers and documents. A query for a reference returns all
    /// presentations of the reference on one page: first the presentations that only the store has, then the
    /// presentations in memory. Each of the two parts is sorted by `holder`, the number of the person under
    /// the reference.
    package func list(_ query: PresentationListQuery, for caller: KnownCaller)
        async throws(PresentationServiceError) -> JSONValue
    {
        if let reference = query.reference {
            let known =
                try await past(under: reference, for: caller)
                + book.records(referredToAs: reference, by: caller.name)
                // A presentation at a lane that the caller may not use any more is left out.
                .filter { caller.scopes.contains(.admin) || caller.owns($0) }
                .map { $0.json(for: scopes(of: caller, over: $0)) }
            return ["presentations": .array(known), "next": .null]
        }
        let all = try await past(query, for: caller) + remembered(query, for: caller)
        let rest = all.sorted { $1.cursor < $0.cursor }
            .filter { listed in query.cursor.map { listed.cursor < $0 } ?? true }
        let page = rest.prefix(query.limit)
        let isLast = page.count == rest.count
        return [
            "presentations": .array(page.map(\.json)),
            "next": isLast ? .null : JSONValue(page.last?.cursor.text),
        ]
    }

    /// Returns the presentations in memory that match a query. A caller gets only its own presentations, and
    /// the administrator gets the presentations of all callers.
    private func remembered(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) -> [ListedPresentation] {
        book.ids.compactMap { book[$0] }
            .filter { caller.scopes.contains(.admin) || caller.owns($0) }
            .filter {
                query.matches(
                    lane: $0.lane, outcome: $0.conclusion?.outcome, created: $0.created)
            }
            .map { record in
                // Only the administrator's list has presentations of other callers.
                let isOwn = caller.owns(record)
                return ListedPresentation(
                    cursor: PresentationCursor(created: record.created, id: record.id.description),
                    json: record.json(for: isOwn ? scopes(of: caller, over: record) : [.admin]))
            }
    }

    /// Returns the presentations that only the store has and that match a query. A caller gets only its own
    /// presentations, and the administrator gets the presentations of all callers. Only the newest
    /// presentations are read, at most as many as there may be in memory.
    private func past(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) async throws(PresentationServiceError) -> [ListedPresentation] {
        let most = limits.presentations
        let owner = caller.scopes.contains(.admin) ? nil : caller.name
        let stored = try await archive?.read(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentations(of: owner, atMost: most)
        }
        return (stored ?? []).filter {
            book[PresentationID($0.id)] == nil
                && (owner == nil || caller.owns($0))
                && query.matches(lane: $0.lane, outcome: $0.outcome, created: $0.created)
        }.compactMap { stored in
            PastPresentation(stored).map {
                ListedPresentation(
                    cursor: PresentationCursor(created: stored.created, id: stored.id), json: $0.json)
            }
        }
    }
}

/// A presentation in a list, with its position there.
private struct ListedPresentation: Sendable {
    let cursor: PresentationCursor
    let json: JSONValue
}

extension PresentationRecord {
    /// The event's data for every listener of the lane.
    fileprivate func event(at now: Timestamp) -> JSONValue { .object(eventMembers(at: now)) }

    /// The data of `ended` for the caller who ordered the presentation: the members of every event, and the
    /// result and the reasons as in a webhook, which contains no documents.
    fileprivate func endedEvent(at now: Timestamp) -> JSONValue {
        .object(
            eventMembers(at: now) + [reasonsMember(for: []), thenMember(for: [])] + resultMembers(for: []))
    }

    /// The members that every event of a presentation has, for any listener.
    private func eventMembers(at now: Timestamp) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("presentation", .string(id.description)), ("lane", .string(lane)),
            ("state", .string(state.rawValue)),
        ]
        if let hint { members.append(("hint", .string(hint.rawValue))) }
        if let completion {
            members.append(("test", completion.hasTestDocument.map { .boolean($0) } ?? .null))
        }
        if let conclusion { members.append(("outcome", .string(conclusion.outcome.rawValue))) }
        members.append(("at", .string("\(now)")))
        return members
    }
}
