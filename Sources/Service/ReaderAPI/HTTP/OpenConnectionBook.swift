package import NIOCore
internal import Synchronization

/// The open connections of a listener, `limit` at most. A connection is a stranger's until its caller is known: by a token in
/// a request, or at a hub by the certificate of the handshake. Strangers have half of the places, or separate places, and each has a limited time;
/// if their places are full, the oldest stranger makes room. So nobody who is unknown keeps out a caller who is known. One known
/// caller has a share of the places as well: beyond that its own oldest connection makes room.
package final class OpenConnectionBook: Sendable {
    fileprivate struct Entry: Sendable {
        let channel: any Channel
        let number: Int
        /// The name of the known caller who asks on it; nil for a stranger.
        var caller: String?
        /// Whether a part of an answer may have been written.
        var isAnswering = false

        var isStranger: Bool { caller == nil }
    }

    fileprivate struct Entries: Sendable {
        var open: [ObjectIdentifier: Entry] = [:]
        /// The connections that made room and are not closed yet.
        var leaving: [ObjectIdentifier: Entry] = [:]
        /// The strangers in the order in which they came, and some that left or became known since.
        var line: [(key: ObjectIdentifier, number: Int)] = []
        var lineStart = 0
        var strangers = 0
        var last = 0
    }

    /// What happens to a new connection.
    enum Entrance: Sendable {
        /// It has a place, which the connection named here gave up.
        case served(instead: (any Channel)?)
        case refused
    }

    package let limit: Int
    private let strangerPlaces: Int
    private let strangerLifetime: TimeAmount
    private let mostOfOneCaller: Int
    private let entries = Mutex(Entries())

    /// - Parameters:
    ///   - limit: how many connections may be open at once.
    ///   - strangerPlaces: how many of them may be strangers'; nil for half.
    ///   - strangerLifetime: how long a connection may be open whose caller is unknown, whatever else happens on it.
    ///   - mostOfOneCaller: how many connections one known caller may have; nil for half of all.
    package init(
        limit: Int, strangerPlaces: Int? = nil, strangerLifetime: TimeAmount, mostOfOneCaller: Int? = nil
    ) {
        let half = max(1, limit / 2)
        self.limit = limit
        self.strangerPlaces = strangerPlaces ?? half
        self.strangerLifetime = strangerLifetime
        self.mostOfOneCaller = min(half, mostOfOneCaller ?? half)
    }

    /// Gives a connection a place until it is closed.
    func enter(_ channel: any Channel) -> Entrance {
        let entrance = entries.withLock { entries -> Entrance in
            var leaving: (any Channel)?
            if entries.strangers >= strangerPlaces || entries.open.count >= limit {
                guard let oldest = entries.removeOldestStranger() else { return .refused }
                leaving = oldest
            }
            entries.addStranger(channel)
            return .served(instead: leaving)
        }
        guard case .served = entrance else { return entrance }
        let timer = channel.eventLoop.scheduleTask(in: strangerLifetime) {
            if self.isStranger(channel) { channel.closeAtOnce() }
        }
        channel.closeFuture.whenComplete { _ in
            timer.cancel()
            self.remove(channel)
        }
        return entrance
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

    /// Records that a known caller is at the other end. If that caller has more connections than its share, its oldest is closed.
    package func know(_ channel: any Channel, as caller: String) {
        let leaving = entries.withLock { entries -> (any Channel)? in
            let key = ObjectIdentifier(channel)
            guard let entry = entries.open[key], entry.caller != caller else { return nil }
            if entry.isStranger { entries.strangers -= 1 }
            let isFull = entries.open.values.count { $0.caller == caller } >= mostOfOneCaller
            let leaving = isFull ? entries.removeOldest(of: caller) : nil
            entries.open[key]?.caller = caller
            return leaving
        }
        leaving?.closeAtOnce()
    }

    /// Records whether a part of an answer may have been written.
    package func answering(_ isAnswering: Bool, on channel: any Channel) {
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

extension OpenConnectionBook.Entries {
    fileprivate mutating func addStranger(_ channel: any Channel) {
        last += 1
        strangers += 1
        let key = ObjectIdentifier(channel)
        open[key] = OpenConnectionBook.Entry(channel: channel, number: last)
        // Most strangers leave by themselves, and stay in the line: it is cleared before it is long.
        if line.count > 2 * open.count + 64 {
            line = line[lineStart...].filter { isStranger($0) }
            lineStart = 0
        }
        line.append((key, last))
    }

    /// A system may give the identity of a connection that is closed to a later one, which has another number.
    private func isStranger(_ place: (key: ObjectIdentifier, number: Int)) -> Bool {
        open[place.key].map { $0.number == place.number && $0.isStranger } ?? false
    }

    /// The oldest stranger makes room. The line spares a look at all connections, thousands of times a second during an attack.
    fileprivate mutating func removeOldestStranger() -> (any Channel)? {
        while lineStart < line.count {
            let place = line[lineStart]
            lineStart += 1
            guard isStranger(place), let entry = open.removeValue(forKey: place.key) else { continue }
            leaving[place.key] = entry
            strangers -= 1
            return entry.channel
        }
        return nil
    }

    /// The oldest connection of a known caller makes room.
    fileprivate mutating func removeOldest(of caller: String) -> (any Channel)? {
        let oldest = open.filter { $0.value.caller == caller }.min { $0.value.number < $1.value.number }
        guard let (key, entry) = oldest else { return nil }
        leaving[key] = open.removeValue(forKey: key)
        return entry.channel
    }
}
