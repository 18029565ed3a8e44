internal import JSON

/// The latest events of one lane, and who listens to them.
///
/// An event's id is `RUN-NUMBER`: after a restart, earlier ids are not valid, and the listener gets the current
/// state.
struct EventLog {
    /// How much a listener that was away may miss.
    private static let mostKept = 256
    /// How far behind a listener may fall before it is disconnected.
    private static let mostBehind = 64

    struct Listener {
        let presentation: PresentationID?
        let caller: KnownCaller
        /// Whether it hears of all presentations, and not only of those that its caller ordered.
        let hearsAll: Bool
        let stream: AsyncStream<String>.Continuation
        /// Called where it fell too far behind.
        let lost: @Sendable () -> Void
    }

    private let run: String
    private var kept: [LaneEvent] = []
    private var last = 0
    private var listeners: [Int: Listener] = [:]
    private var nextListener = 0

    init(run: String) {
        self.run = run
    }

    var listenerCount: Int { listeners.count }

    /// Sends an event to all listeners, and keeps it for those that reconnect.
    ///
    /// - Parameters:
    ///   - ownersData: the data for the caller who ordered the presentation, where others get less.
    ///   - isLatest: whether the presentation is the latest of its lane; of an earlier one only its caller hears.
    mutating func append(
        _ name: EventName, _ data: JSONValue, ownersData: JSONValue? = nil, of presentation: PresentationID?,
        owner: String? = nil, isLatest: Bool = true
    ) {
        last += 1
        let event = LaneEvent(
            number: last, presentation: presentation, owner: owner, isLatest: isLatest,
            frame: frame(name, data, number: last),
            ownersFrame: ownersData.map { frame(name, $0, number: last) })
        kept.append(event)
        if kept.count > Self.mostKept { kept.removeFirst(kept.count - Self.mostKept) }
        for (key, listener) in listeners where listener.concerns(event) {
            yield(event.frame(for: listener.caller), to: listener, key)
        }
    }

    private mutating func yield(_ frame: String, to listener: Listener, _ key: Int) {
        switch listener.stream.yield(frame) {
        case .enqueued: return
        case .dropped: listener.lost()
        default: break
        }
        leave(key)
    }

    private func frame(_ name: EventName, _ data: JSONValue, number: Int) -> String {
        "id: \(run)-\(number)\nevent: \(name.rawValue)\ndata: \(data.line)\n\n"
    }

    /// A comment, so that closed connections are noticed.
    mutating func beat() {
        for (key, listener) in listeners { yield(": beat\n\n", to: listener, key) }
    }

    /// Listens from now on. The listener first gets the events since `lastID`; if that id is not known any more,
    /// `now`.
    ///
    /// - Parameter ended: called when the stream is released, whether anybody ever read it or not.
    mutating func listen(
        to presentation: PresentationID?, by caller: KnownCaller, hearingAll hearsAll: Bool,
        after lastID: String?, now: (name: EventName, data: JSONValue)?, lost: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> (key: Int, frames: AsyncStream<String>) {
        let (frames, stream) = AsyncStream<String>.makeStream(
            bufferingPolicy: .bufferingOldest(Self.mostBehind + Self.mostKept))
        let listener = Listener(
            presentation: presentation, caller: caller, hearsAll: hearsAll, stream: stream, lost: lost)
        if let missed = missed(since: lastID) {
            for event in missed where listener.concerns(event) { stream.yield(event.frame(for: caller)) }
        } else if let now {
            stream.yield(frame(now.name, now.data, number: last))
        }
        nextListener += 1
        let key = nextListener
        listeners[key] = listener
        stream.onTermination = { _ in ended(key) }
        return (key, frames)
    }

    private func missed(since lastID: String?) -> [LaneEvent]? {
        guard let lastID, lastID.hasPrefix("\(run)-"), let number = Int(lastID.dropFirst(run.utf8.count + 1)),
            number <= last, number >= (kept.first?.number ?? last + 1) - 1
        else { return nil }
        return kept.filter { $0.number > number }
    }

    mutating func leave(_ key: Int) {
        listeners.removeValue(forKey: key)?.stream.finish()
    }

    /// Ends the streams of callers who may not listen any more.
    mutating func close(where isOver: (KnownCaller) -> Bool) {
        for (key, listener) in listeners where isOver(listener.caller) { leave(key) }
    }

    func listenerCount(of name: String) -> Int { listeners.values.count { $0.caller.name == name } }

    /// Ends the streams of those who listen to a presentation that is forgotten, or of everybody.
    mutating func close(_ presentation: PresentationID? = nil) {
        for (key, listener) in listeners where presentation == nil || listener.presentation == presentation {
            leave(key)
        }
    }
}

extension EventLog.Listener {
    fileprivate func concerns(_ event: LaneEvent) -> Bool {
        guard (hearsAll && event.isLatest) || event.owner == nil || event.owner == caller.name else {
            return false
        }
        return presentation == nil || presentation == event.presentation
    }
}

/// One event as it goes to those who listen: written once, whoever and however many they are.
struct LaneEvent: Sendable {
    /// Its place among all events of this run of the daemon.
    let number: Int
    let presentation: PresentationID?
    /// Who ordered that presentation; nil for what concerns the lane alone.
    let owner: String?
    /// Whether that presentation was the latest of its lane.
    let isLatest: Bool
    /// The frame of the event stream, with `id:`, `event:` and `data:`.
    let frame: String
    /// The same for who ordered it, where that is more.
    let ownersFrame: String?

    func frame(for caller: KnownCaller) -> String {
        owner == caller.name && caller.scopes.contains(.app) ? ownersFrame ?? frame : frame
    }
}

/// What happened, as an event is named. An event is sent once for each time that it happens.
package enum EventName: String, CaseIterable, Sendable {
    /// The presentation came to this state.
    case armed, engaged, awaitingConsent, receiving, awaitingDecision
    /// The state stays, and what people should know has changed: `hint`.
    case hintChanged
    /// It has its outcome. Once for each presentation.
    case ended
    /// A display request's result was closed, or personal data was deleted at its deadline.
    case wiped
    /// A receipt that could not be written before the end was written.
    case receiptWritten
    /// The lane, its reader or its adapter changed.
    case laneChanged
    /// An order was refused, since the lane is busy.
    case orderRefused
}

extension EventName {
    /// What happened last to a presentation in this state. Nil if it is over and has no outcome yet.
    init?(entering state: PresentationState) {
        switch state {
        case .armed: self = .armed
        case .engaged: self = .engaged
        case .awaitingConsent: self = .awaitingConsent
        case .receiving: self = .receiving
        case .awaitingDecision: self = .awaitingDecision
        case .verified, .rejected, .declined, .cancelled, .failed: return nil
        }
    }
}
