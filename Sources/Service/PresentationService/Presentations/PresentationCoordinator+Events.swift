package import JSON
internal import Logging
internal import MdocModel
package import ReaderService
internal import ReaderStore
internal import Reports
internal import Transport

extension PresentationCoordinator {
    /// Notifies the listeners of what happened to a presentation. The pages of its lane show the latest one alone.
    func notify(_ name: EventName, of record: PresentationRecord) {
        logs.append(
            name, record.event(at: now), ownersData: name == .ended ? record.endedEvent(at: now) : nil,
            of: record, isLatest: book.latest(at: record.lane)?.id == record.id)
    }

    /// Notifies the listeners of a lane of what happened there.
    func notify(_ name: EventName, ofLane lane: String) {
        logs.append(name, laneEvent(lane), ofLane: lane)
    }

    private func laneEvent(_ lane: String) -> JSONValue { ["lane": .string(lane), "at": .string("\(now)")] }

    /// What happened last, for a listener that has not heard of it. Nil while a presentation is cancelled: its end follows.
    private func latestEvent(
        of record: PresentationRecord, for caller: KnownCaller
    ) -> (name: EventName, data: JSONValue)? {
        if record.conclusion == nil {
            return EventName(entering: record.state).map { ($0, record.event(at: now)) }
        }
        let isOwner = caller.ordered(record.owner, at: record.lane)
        return (.ended, isOwner ? record.endedEvent(at: now) : record.event(at: now))
    }

    /// Listens to a lane, or to one presentation of it.
    package func listen(
        toLane name: String, presentation: PresentationID? = nil, by caller: KnownCaller,
        after lastID: String?, lost: @escaping @Sendable () -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        guard logs.contains(lane: name),
            caller.serves(lane: name) || caller.orders(at: name) || caller.usesApp(at: name)
        else {
            throw .laneUnknown
        }
        guard !isEnding else { throw .shuttingDown }
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

    /// Ends the streams of callers who may not listen any more.
    package func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        logs.endStreams(unless: mayListen)
    }

    private func leave(lane name: String, _ key: Int) {
        logs.leave(lane: name, key)
    }

    package var listenerCount: Int { logs.listenerCount }

    /// The longest time, in seconds, between two messages to a listener. A listener that receives nothing for
    /// longer should connect again.
    package static let heartbeatSeconds: Int64 = 15

    /// Sends every listener a comment, once per heartbeat, until the task is cancelled. Also notifies the listeners
    /// of a lane whose reader was removed or came back.
    package func beat() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.heartbeatSeconds), clock: .continuous)
            logs.beat()
            // At once: a lane that hangs must not delay the next heartbeat of the others.
            await withDiscardingTaskGroup { group in
                for name in laneNames where logs.hasListeners(lane: name) {
                    group.addTask { _ = await self.readiness(ofLane: name) }
                }
            }
        }
    }

    /// Looks at all lanes at once: one that hangs holds up no other.
    package func lookAtLanes() async {
        await withDiscardingTaskGroup { group in
            for lane in lanes.all { group.addTask { _ = await lane.lane.readiness() } }
        }
    }

    /// Whether phones can be asked at a lane. Its listeners are notified of a change, whoever asked.
    package func readiness(ofLane name: String) async -> LaneReadiness? {
        guard let readiness = await lanes[name]?.lane.readiness() else { return nil }
        if lanes.record(readiness, of: name) {
            notify(.laneChanged, ofLane: name)
            if case .withoutBluetooth(let fault) = readiness { report(fault, atLane: name) }
        }
        return readiness
    }

    private func report(_ fault: RadioFault, atLane name: String) {
        guard fault.refusal != nil else { return }
        log.error("a lane has no Bluetooth", metadata: ["lane": "\(name)", "advice": "\(fault.advice)"])
    }

    /// Looks at each lane before its first customer, and reports what bluetoothd refuses there (Q239). A lane that hangs
    /// holds up no other.
    package func lookAtStart() async {
        await withDiscardingTaskGroup { group in
            for name in laneNames { group.addTask { await self.lookAtStart(lane: name) } }
        }
    }

    private func lookAtStart(lane name: String) async {
        switch await readiness(ofLane: name) {
        case .withoutBluetooth(let fault): report(fault, atLane: name)
        // A look does not try the radio of a lane without a reader.
        case .unavailable: if let fault = await lanes[name]?.lane.radioFault() { report(fault, atLane: name) }
        case .ready, nil: break
        }
    }
}

/// What a caller may know of presentations.
extension PresentationCoordinator {
    /// A presentation that the caller may know by one of these scopes, with all scopes by which the caller may. Nobody learns that another's
    /// presentation exists.
    package func presentation(
        _ id: PresentationID, for caller: KnownCaller, by needed: Set<Scope>
    ) throws(PresentationServiceError) -> (record: PresentationRecord, scopes: Set<Scope>) {
        let record = try record(id)
        let scopes = scopes(of: caller, over: record)
        guard !scopes.isDisjoint(with: needed) else { throw .presentationUnknown }
        return (record, scopes)
    }

    package func scopes(of caller: KnownCaller, over record: PresentationRecord) -> Set<Scope> {
        caller.scopes(over: record, latest: book.latest(at: record.lane)?.id)
    }
}

extension PresentationCoordinator {
    /// A page of what a caller ordered, and for the administrator of what everybody ordered, without answers and documents; from
    /// the newest on. What is under one reference is on one page, person by person.
    package func list(_ query: PresentationListQuery, for caller: KnownCaller)
        async throws(PresentationServiceError) -> JSONValue
    {
        if let reference = query.reference {
            let known =
                try await past(under: reference, for: caller)
                + book.records(referredToAs: reference, by: caller.name)
                .filter { caller.scopes.contains(.admin) || caller.ordered($0.owner, at: $0.lane) }
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

    private func remembered(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) -> [ListedPresentation] {
        book.ids.compactMap { book[$0] }
            .filter { caller.scopes.contains(.admin) || caller.ordered($0.owner, at: $0.lane) }
            .filter {
                query.takes(
                    lane: $0.lane, outcome: $0.conclusion?.outcome, created: $0.created)
            }
            .map { record in
                let isOwn = caller.ordered(record.owner, at: record.lane)
                return ListedPresentation(
                    cursor: PresentationCursor(created: record.created, id: record.id.description),
                    json: record.json(for: isOwn ? scopes(of: caller, over: record) : [.admin]))
            }
    }

    /// The newest that are no longer in memory: the caller's, or the administrator's all.
    private func past(
        _ query: PresentationListQuery, for caller: KnownCaller
    ) async throws(PresentationServiceError) -> [ListedPresentation] {
        let most = limits.presentations
        let owner = caller.scopes.contains(.admin) ? nil : caller.name
        let stored = try await archive?.look(for: caller.name) { store throws(ReaderStoreError) in
            try store.presentations(of: owner, atMost: most)
        }
        return (stored ?? []).filter {
            book[PresentationID($0.id)] == nil
                && (owner == nil || caller.ordered($0.owner, at: $0.lane))
                && query.takes(lane: $0.lane, outcome: $0.outcome, created: $0.created)
        }.compactMap { stored in
            PastPresentation(stored).map {
                ListedPresentation(
                    cursor: PresentationCursor(created: stored.created, id: stored.id), json: $0.json)
            }
        }
    }
}

/// One presentation of a list.
private struct ListedPresentation: Sendable {
    let cursor: PresentationCursor
    let json: JSONValue
}

extension PresentationRecord {
    /// What all may know who listen to the lane.
    fileprivate func event(at now: Timestamp) -> JSONValue { .object(eventMembers(at: now)) }

    /// For who ordered it: with what came of it, as a webhook gets it, without documents.
    fileprivate func endedEvent(at now: Timestamp) -> JSONValue {
        .object(
            eventMembers(at: now) + [reasonsMember(for: []), thenMember(for: [])] + resultMembers(for: []))
    }

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
