internal import JSON

/// The latest events of one lane, and the listeners that receive them.
///
/// An event's id is `RUN-NUMBER`. A listener that reconnects with the id of its last event receives the
/// events since then. An id of an earlier run of the daemon, or an id that is too old, is not valid. The
/// listener then receives the current state instead.
struct EventLog {
    /// The number of events that stay in memory for listeners that reconnect.
    private static let mostKept = 256
    /// The number of unread events, in addition to `mostKept`, after which a slow listener is disconnected.
    private static let mostBehind = 64

    /// A caller who receives the events of the lane, or of one presentation there.
    struct Listener {
        /// The presentation whose events the listener receives; `nil` for all events.
        let presentation: PresentationID?
        let caller: KnownCaller
        /// Whether the listener receives the events of all callers' presentations.
        let hearsAll: Bool
        let stream: AsyncStream<String>.Continuation
        /// Called when the listener is disconnected because it reads too slowly.
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

    /// Sends an event to the listeners that may receive it, and keeps it for listeners that reconnect.
    ///
    /// - Parameters:
    ///   - ownersData: the data for the caller who ordered the presentation, if other listeners receive less.
    ///   - isLatest: whether the presentation is the latest of its lane. Events of an earlier presentation go
    ///     only to its caller.
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

    /// Sends a frame to a listener. A listener that reads too slowly or has disconnected is removed.
    private mutating func yield(_ frame: String, to listener: Listener, _ key: Int) {
        switch listener.stream.yield(frame) {
        case .enqueued: return
        case .dropped: listener.lost()
        // The listener has disconnected, and its stream is over.
        default: break
        }
        leave(key)
    }

    private func frame(_ name: EventName, _ data: JSONValue, number: Int) -> String {
        "id: \(run)-\(number)\nevent: \(name.rawValue)\ndata: \(data.line)\n\n"
    }

    /// Sends each listener a comment line, so that closed connections are noticed.
    mutating func beat() {
        for (key, listener) in listeners { yield(": beat\n\n", to: listener, key) }
    }

    /// Adds a listener, which first receives the events since `lastID`, or the event `now` if `lastID` is no
    /// longer valid.
    ///
    /// - Parameter ended: called with the listener's key when its stream is released, even if nobody ever
    ///   read the stream.
    mutating func listen(
        to presentation: PresentationID?, by caller: KnownCaller, hearingAll hearsAll: Bool,
        after lastID: String?, now: (name: EventName, data: JSONValue)?, lost: @escaping @Sendable () -> Void,
        ended: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> (key: Int, frames: AsyncStream<String>) {
        let (frames, stream) = AsyncStream<String>.makeStream(
            // A listener that reconnects may get all kept events together. They must not count as unread
            // events of a slow listener.
            bufferingPolicy: .bufferingOldest(Self.mostBehind + Self.mostKept))
        let listener = Listener(
            presentation: presentation, caller: caller, hearsAll: hearsAll, stream: stream, lost: lost)
        if let missed = missed(since: lastID) {
            for event in missed where listener.concerns(event) { stream.yield(event.frame(for: caller)) }
        } else if let now {
            // The current state has the id of the last event, so that a reconnect continues after that event.
            stream.yield(frame(now.name, now.data, number: last))
        }
        nextListener += 1
        let key = nextListener
        listeners[key] = listener
        stream.onTermination = { _ in ended(key) }
        return (key, frames)
    }

    /// The kept events after `lastID`, or `nil` if `lastID` is an id of another run, or too old.
    private func missed(since lastID: String?) -> [LaneEvent]? {
        guard let lastID, lastID.hasPrefix("\(run)-"), let number = Int(lastID.dropFirst(run.utf8.count + 1)),
            // The event after `number` must still be kept, so that the listener misses no event. If no event
            // is kept, only the id of the last event is valid.
            number <= last, number >= (kept.first?.number ?? last + 1) - 1
        else { return nil }
        return kept.filter { $0.number > number }
    }

    /// Removes a listener and ends its stream.
    mutating func leave(_ key: Int) {
        listeners.removeValue(forKey: key)?.stream.finish()
    }

    /// Ends the streams of callers who may no longer listen.
    mutating func close(where isOver: (KnownCaller) -> Bool) {
        for (key, listener) in listeners where isOver(listener.caller) { leave(key) }
    }

    func listenerCount(of name: String) -> Int { listeners.values.count { $0.caller.name == name } }

    /// Ends the streams of the listeners of a removed presentation. With `nil`, ends all streams.
    mutating func close(_ presentation: PresentationID? = nil) {
        for (key, listener) in listeners where presentation == nil || listener.presentation == presentation {
            leave(key)
        }
    }
}

extension EventLog.Listener {
    /// Whether the listener has subscribed to the event and may receive it.
    fileprivate func concerns(_ event: LaneEvent) -> Bool {
        // An event without an owner is about the lane itself. Every listener may receive such an event.
        guard (hearsAll && event.isLatest) || event.owner == nil || event.owner == caller.name else {
            return false
        }
        return presentation == nil || presentation == event.presentation
    }
}

/// An event in the form in which it is sent. The frames are written once and shared by all listeners.
struct LaneEvent: Sendable {
    /// The number of the event in its lane's log since the daemon started.
    let number: Int
    let presentation: PresentationID?
    /// The name of the caller who ordered the presentation; `nil` for an event of the lane itself.
    let owner: String?
    /// Whether the presentation was the latest of its lane at the time of the event.
    let isLatest: Bool
    /// The frame of the event stream, with `id:`, `event:` and `data:`.
    let frame: String
    /// The frame for the caller who ordered the presentation, if it contains more than `frame`.
    let ownersFrame: String?

    /// The frame that the caller may receive. `ownersFrame` contains the result, and only a caller with
    /// the scope `app` receives that frame.
    func frame(for caller: KnownCaller) -> String {
        owner == caller.name && caller.scopes.contains(.app) ? ownersFrame ?? frame : frame
    }
}

/// The name of an event.
package enum EventName: String, CaseIterable, Sendable {
    /// The presentation entered the state with the same name.
    case armed, engaged, awaitingConsent, receiving, awaitingDecision
    /// The member `hint` changed, and the state did not.
    case hintChanged
    /// The presentation has its outcome. Sent once for each presentation.
    case ended
    /// Personal data was deleted: the clerk closed the result, the deadline of the data has passed, or the
    /// lane began another presentation.
    case wiped
    /// The store accepted a receipt that it had refused when the presentation ended.
    case receiptWritten
    /// The lane, its reader or its Bluetooth adapter changed.
    case laneChanged
    /// An order was refused because the lane is busy.
    case orderRefused
}

extension EventName {
    /// The event that reports this state, or `nil` for a state whose event is `ended`.
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
