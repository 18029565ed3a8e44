internal import NIOCore
internal import Synchronization

/// The open connections of a listener, `limit` at most. A connection is a stranger's until a known caller sends a request on
/// it. Strangers have half of the places, and each has a limited time; if their places are full, the oldest connection makes
/// room. So callers without a token keep nobody out who has one. One known caller has half of the places as well: beyond
/// that its own oldest connection makes room.
final class OpenConnectionBook: Sendable {
    private struct Entry: Sendable {
        let channel: any Channel
        let number: Int
        /// The name of the known caller who asks on it; nil for a stranger.
        var caller: String?
        /// Whether a part of an answer may have been written.
        var isAnswering = false

        var isStranger: Bool { caller == nil }
    }

    private struct Entries: Sendable {
        var open: [ObjectIdentifier: Entry] = [:]
        /// Those that made room and are not closed yet.
        var leaving: [ObjectIdentifier: Entry] = [:]
        var strangers = 0
        var last = 0
    }

    /// What happens to a new connection.
    enum Entrance: Sendable {
        /// It has a place, which the connection named here gave up.
        case served(instead: (any Channel)?)
        case refused
    }

    private let limit: Int
    private let strangerLifetime: TimeAmount
    private let entries = Mutex(Entries())

    init(limit: Int, strangerLifetime: TimeAmount) {
        self.limit = limit
        self.strangerLifetime = strangerLifetime
    }

    /// Gives a connection a place until it is closed.
    func enter(_ channel: any Channel) -> Entrance {
        let entrance = entries.withLock { entries -> Entrance in
            var leaving: (any Channel)?
            if entries.strangers >= half || entries.open.count >= limit {
                guard let oldest = Self.removeOldest(of: nil, from: &entries) else { return .refused }
                leaving = oldest
            }
            entries.last += 1
            entries.strangers += 1
            entries.open[ObjectIdentifier(channel)] = Entry(channel: channel, number: entries.last)
            return .served(instead: leaving)
        }
        guard case .served = entrance else { return entrance }
        let timer = channel.eventLoop.scheduleTask(in: strangerLifetime) {
            if self.isStranger(channel) { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in
            timer.cancel()
            self.remove(channel)
        }
        return entrance
    }

    private var half: Int { max(1, limit / 2) }

    /// The oldest connection of a caller, or of the strangers, makes room.
    private static func removeOldest(of caller: String?, from entries: inout Entries) -> (any Channel)? {
        let oldest = entries.open.values.filter { $0.caller == caller }.min { $0.number < $1.number }
        guard let oldest else { return nil }
        let key = ObjectIdentifier(oldest.channel)
        entries.leaving[key] = entries.open.removeValue(forKey: key)
        if oldest.isStranger { entries.strangers -= 1 }
        return oldest.channel
    }

    private func remove(_ channel: any Channel) {
        entries.withLock { entries in
            entries.leaving[ObjectIdentifier(channel)] = nil
            guard let entry = entries.open.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            if entry.isStranger { entries.strangers -= 1 }
        }
    }

    private func isStranger(_ channel: any Channel) -> Bool {
        entries.withLock { $0.open[ObjectIdentifier(channel)]?.isStranger == true }
    }

    /// A known caller has asked something on it. Returns the connection of the same caller that makes room for it.
    func know(_ channel: any Channel, as caller: String) -> (any Channel)? {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            guard let entry = entries.open[key], entry.caller != caller else { return nil }
            if entry.isStranger { entries.strangers -= 1 }
            let isFull = entries.open.values.count { $0.caller == caller } >= half
            let leaving = isFull ? Self.removeOldest(of: caller, from: &entries) : nil
            entries.open[key]?.caller = caller
            return leaving
        }
    }

    func answering(_ isAnswering: Bool, on channel: any Channel) {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            entries.open[key]?.isAnswering = isAnswering
            entries.leaving[key]?.isAnswering = isAnswering
        }
    }

    /// Whether a part of an answer may have been written on a connection that makes room. Call it on the connection's event loop,
    /// where its requests begin.
    func isAnsweringLast(on channel: any Channel) -> Bool {
        entries.withLock { $0.leaving[ObjectIdentifier(channel)]?.isAnswering == true }
    }
}
