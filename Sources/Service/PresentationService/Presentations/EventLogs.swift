internal import JSON

/// The event logs of all lanes.
///
/// Each lane has one log. The log stays when the lane is removed, so that its listeners stay connected until
/// the lane comes back. All logs together have a limited number of listeners, and one caller may have half of
/// them.
struct EventLogs {
    /// The prefix of event ids that distinguishes this run of the daemon from other runs.
    private let run: String
    /// The maximum number of listeners of all lanes.
    private let most: Int
    private var logs: [String: EventLog] = [:]
    /// The latest rule for who may listen, or `nil` before the rules changed for the first time.
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

    /// Sends an event of the lane itself to the lane's listeners.
    mutating func append(_ name: EventName, _ data: JSONValue, ofLane lane: String) {
        logs[lane]?.append(name, data, of: nil)
    }

    /// Sends an event of a presentation to the listeners of its lane.
    ///
    /// - Parameters:
    ///   - ownersData: the data for the caller who ordered the presentation, if other listeners receive less.
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

    /// Adds a listener to a lane, or to one presentation there.
    ///
    /// - Parameters:
    ///   - latest: the event that describes the current state, for a listener without a valid `lastID`.
    ///   - ended: called with the listener's key when its stream is released.
    /// - Throws: `tooManyListeners`, or `laneUnknown` for a lane without a log.
    mutating func listen(
        toLane name: String, presentation: PresentationID?, by caller: KnownCaller, after lastID: String?,
        latest: (name: EventName, data: JSONValue)?, lost: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Int) -> Void
    ) throws(PresentationServiceError) -> AsyncStream<String> {
        let ownListeners = logs.values.reduce(0) { $0 + $1.listenerCount(of: caller.name) }
        // Half is rounded up, so that with a limit of 1 a caller may have that one listener.
        guard listenerCount < most, ownListeners < (most + 1) / 2 else { throw .tooManyListeners }
        // A caller with a page of this lane (`serves`) shows the presentations of all callers, and so
        // receives the events of all of them.
        let listener = logs[name]?.listen(
            to: presentation, by: caller, hearingAll: caller.serves(lane: name), after: lastID, now: latest,
            lost: lost, ended: ended)
        guard let listener else { throw .laneUnknown }
        return listener.frames
    }

    /// Removes a listener of a lane and ends its stream.
    mutating func leave(lane name: String, _ key: Int) {
        logs[name]?.leave(key)
    }

    /// Sends every listener a comment line, and ends the streams of callers who may no longer listen.
    mutating func beat() {
        // A caller may have begun to listen while the rules were being changed.
        if let mayListen { endStreams(unless: mayListen) }
        for name in logs.keys { logs[name]?.beat() }
    }

    /// Ends the streams of callers who may no longer listen, now and at each later `beat`.
    mutating func endStreams(unless mayListen: @escaping @Sendable (KnownCaller) -> Bool) {
        self.mayListen = mayListen
        for name in logs.keys { logs[name]?.close { !mayListen($0) } }
    }

    /// Ends the streams of the listeners of a removed presentation.
    mutating func close(_ presentation: PresentationID, lane name: String) {
        logs[name]?.close(presentation)
    }

    /// Ends all streams.
    mutating func close() {
        for name in logs.keys { logs[name]?.close() }
    }
}
