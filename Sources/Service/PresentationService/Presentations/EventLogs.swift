internal import JSON

/// The event logs of all lanes.
///
/// A lane has one log. The log stays when the lane is removed, so that its listeners stay connected: the lane may come back.
/// All logs together have a limited number of listeners, of which one caller may have half.
struct EventLogs {
    /// Distinguishes the events of this run of the daemon from the events of other runs.
    private let run: String
    /// The maximum number of listeners of all lanes.
    private let most: Int
    private var logs: [String: EventLog] = [:]
    /// Whether a caller may still listen by the rules that were last put in force; nil before the first change.
    private var mayListen: (@Sendable (KnownCaller) -> Bool)?

    init(run: String, most: Int) {
        self.run = run
        self.most = most
    }

    // MARK: Events

    /// Opens the log of a lane.
    ///
    /// - Returns: false if the lane has a log already.
    @discardableResult mutating func open(lane name: String) -> Bool {
        guard logs[name] == nil else { return false }
        logs[name] = EventLog(run: run)
        return true
    }

    func contains(lane name: String) -> Bool { logs[name] != nil }

    /// Notifies the listeners of a lane of what happened there.
    mutating func append(_ name: EventName, _ data: JSONValue, ofLane lane: String) {
        logs[lane]?.append(name, data, of: nil)
    }

    /// Notifies the listeners of what happened to a presentation.
    ///
    /// - Parameters:
    ///   - ownersData: the data for the caller who ordered the presentation, where others get less.
    ///   - isLatest: whether the presentation is the latest of its lane.
    mutating func append(
        _ name: EventName, _ data: JSONValue, ownersData: JSONValue?, of record: PresentationRecord,
        isLatest: Bool
    ) {
        logs[record.lane]?.append(
            name, data, ownersData: ownersData, of: record.id, owner: record.owner, isLatest: isLatest)
    }

    // MARK: Listeners

    var listenerCount: Int { logs.values.reduce(0) { $0 + $1.listenerCount } }

    func hasListeners(lane name: String) -> Bool { (logs[name]?.listenerCount ?? 0) > 0 }

    /// Listens to a lane, or to one presentation of it.
    ///
    /// - Parameters:
    ///   - latest: what happened last, for a listener that has not heard of it.
    ///   - ended: called with the listener's key when its stream is released.
    /// - Throws: `tooManyListeners`, or `laneUnknown` for a lane without a log.
    mutating func listen(
        toLane name: String, presentation: PresentationID?, by caller: KnownCaller, after lastID: String?,
        latest: (name: EventName, data: JSONValue)?, lost: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Int) -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        let own = logs.values.reduce(0) { $0 + $1.listenerCount(of: caller.name) }
        guard listenerCount < most, own < (most + 1) / 2 else { throw .tooManyListeners }
        let heard = logs[name]?.listen(
            to: presentation, by: caller, hearingAll: caller.serves(lane: name), after: lastID, now: latest,
            lost: lost, ended: ended)
        guard let heard else { throw .laneUnknown }
        return heard.frames
    }

    mutating func leave(lane name: String, _ key: Int) {
        logs[name]?.leave(key)
    }

    /// Sends every listener a comment, and ends the streams of callers who may not listen any more.
    mutating func beat() {
        // A caller may have begun to listen while the rules changed.
        if let mayListen { endStreams(unless: mayListen) }
        for name in logs.keys { logs[name]?.beat() }
    }

    /// Ends the streams of callers who may not listen any more, now and at each later `beat`.
    mutating func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        self.mayListen = mayListen
        for name in logs.keys { logs[name]?.close { !mayListen($0) } }
    }

    /// Ends the streams of those who listen to a presentation that is forgotten.
    mutating func close(_ presentation: PresentationID, lane name: String) {
        logs[name]?.close(presentation)
    }

    /// Ends all streams.
    mutating func close() {
        for name in logs.keys { logs[name]?.close() }
    }
}
