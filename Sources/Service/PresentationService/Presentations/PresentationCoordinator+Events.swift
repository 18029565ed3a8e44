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
        logs[record.lane]?.append(
            name, record.event(at: now), ownersData: name == .ended ? record.endedEvent(at: now) : nil,
            of: record.id, owner: record.owner, isLatest: book.latest(at: record.lane)?.id == record.id)
    }

    /// Notifies the listeners of a lane of what happened there.
    func notify(_ name: EventName, ofLane lane: String) {
        logs[lane]?.append(name, laneEvent(lane), of: nil)
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
        guard logs[name] != nil,
            caller.serves(lane: name) || caller.orders(at: name) || caller.usesApp(at: name)
        else {
            throw .laneUnknown
        }
        guard !isEnding else { throw .shuttingDown }
        let own = logs.values.reduce(0) { $0 + $1.listenerCount(of: caller.name) }
        guard listenerCount < limits.listeners, own < (limits.listeners + 1) / 2 else {
            throw .tooManyListeners
        }
        let shown = (presentation.map { book[$0] } ?? book.latest(at: name))
            .flatMap { scopes(of: caller, over: $0).isEmpty ? nil : $0 }
        let latest =
            if let shown {
                latestEvent(of: shown, for: caller)
            } else {
                (name: EventName.laneChanged, data: laneEvent(name))
            }
        let heard = logs[name]?.listen(
            to: presentation, by: caller, hearingAll: caller.serves(lane: name), after: lastID, now: latest,
            lost: lost,
            ended: { key in Task { await self.leave(lane: name, key) } })
        guard let heard else { throw .laneUnknown }
        return heard.frames
    }

    /// Ends the streams of callers who may not listen any more.
    package func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        self.mayListen = mayListen
        for name in logs.keys { logs[name]?.close { !mayListen($0) } }
    }

    private func leave(lane name: String, _ key: Int) {
        logs[name]?.leave(key)
    }

    package var listenerCount: Int { logs.values.reduce(0) { $0 + $1.listenerCount } }

    /// The longest time, in seconds, between two messages to a listener. A listener that receives nothing for
    /// longer should connect again.
    package static let heartbeatSeconds: Int64 = 15

    /// Sends every listener a comment, once per heartbeat, until the task is cancelled. Also notifies the listeners
    /// of a lane whose reader was removed or came back.
    package func beat() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.heartbeatSeconds), clock: .continuous)
            // A caller may have begun to listen while the rules changed.
            if let mayListen { endStreams(unless: mayListen) }
            for name in logs.keys { logs[name]?.beat() }
            // At once: a lane that hangs must not delay the next heartbeat of the others.
            await withDiscardingTaskGroup { group in
                for name in laneNames where logs[name]?.listenerCount ?? 0 > 0 {
                    group.addTask { _ = await self.readiness(ofLane: name) }
                }
            }
        }
    }

    /// Looks at all lanes at once: one that hangs holds up no other.
    package func lookAtLanes() async {
        await withDiscardingTaskGroup { group in
            for lane in lanes.values { group.addTask { _ = await lane.lane.readiness() } }
        }
    }

    /// Whether phones can be asked at a lane. Its listeners are notified of a change, whoever asked.
    package func readiness(ofLane name: String) async -> LaneReadiness? {
        guard let readiness = await lanes[name]?.lane.readiness() else { return nil }
        let before = notifiedReadiness.updateValue(readiness, forKey: name)
        if let before, before != readiness {
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
