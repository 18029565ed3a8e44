internal import NIOCore
internal import Synchronization

/// The open connections of a listener, of which there are `limit` at most. A connection is a stranger's until a request on it
/// came from a known caller. Strangers have half of the places, and each has a limited time: where they are full, the
/// oldest makes room. So nobody without a token keeps out who has one.
final class OpenConnectionBook: Sendable {
    private struct Entry: Sendable {
        let channel: any Channel
        let number: Int
        var isKnown = false
        /// Whether a part of an answer may have been written.
        var isAnswering = false
    }

    private struct Entries: Sendable {
        var open: [ObjectIdentifier: Entry] = [:]
        var strangers = 0
        var last = 0
    }

    /// What happens to a new connection.
    enum Entrance: Sendable {
        /// It has a place, which the connection named here gave up.
        case served(instead: Leaving?)
        case refused
    }

    /// A connection that makes room for another.
    struct Leaving: Sendable {
        let channel: any Channel
        /// Whether the reason can still be sent to it.
        let canBeAnswered: Bool
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
            var leaving: Leaving?
            if entries.strangers >= max(1, limit / 2) || entries.open.count >= limit {
                guard let oldest = Self.removeOldestStranger(from: &entries) else { return .refused }
                leaving = Leaving(channel: oldest.channel, canBeAnswered: !oldest.isAnswering)
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

    /// Of those that nobody is answering, where there is one.
    private static func removeOldestStranger(from entries: inout Entries) -> Entry? {
        let strangers = entries.open.values.filter { !$0.isKnown }
        let idle = strangers.filter { !$0.isAnswering }
        guard let oldest = (idle.isEmpty ? strangers : idle).min(by: { $0.number < $1.number }) else {
            return nil
        }
        entries.open[ObjectIdentifier(oldest.channel)] = nil
        entries.strangers -= 1
        return oldest
    }

    private func remove(_ channel: any Channel) {
        entries.withLock { entries in
            guard let entry = entries.open.removeValue(forKey: ObjectIdentifier(channel)) else { return }
            if !entry.isKnown { entries.strangers -= 1 }
        }
    }

    private func isStranger(_ channel: any Channel) -> Bool {
        entries.withLock { $0.open[ObjectIdentifier(channel)]?.isKnown == false }
    }

    /// A known caller has asked something on it.
    func know(_ channel: any Channel) {
        entries.withLock { entries in
            guard entries.open[ObjectIdentifier(channel)]?.isKnown == false else { return }
            entries.open[ObjectIdentifier(channel)]?.isKnown = true
            entries.strangers -= 1
        }
    }

    func answering(_ isAnswering: Bool, on channel: any Channel) {
        entries.withLock { $0.open[ObjectIdentifier(channel)]?.isAnswering = isAnswering }
    }
}
