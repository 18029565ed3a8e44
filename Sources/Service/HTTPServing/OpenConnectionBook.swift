package import NIOCore
internal import Synchronization

/// The open connections of a listener. The book decides which connection is closed if there are too many.
///
/// A connection whose caller is not known is called a stranger. The caller becomes known by a token in a
/// request, or at a hub by the certificate of the handshake. `identify` records the caller.
///
/// **Strangers** may be half of the connections, or another configured number. Each is closed after
/// `strangerLifetime`. If there are too many strangers, a new connection replaces one of them. The oldest
/// stranger that has sent nothing is replaced if it has been silent for `longestSilence`, or if many
/// strangers (more than half of their maximum) are silent. Otherwise the oldest stranger is replaced. A
/// stranger therefore never keeps out a known caller.
///
/// **Known callers** each have a maximum number of connections. A caller with more connections loses its
/// oldest one. The connections of all known callers together may be limited too. Above this limit, the caller
/// with the most connections loses its oldest one. A connection whose request is being answered is closed
/// only if this is true of all candidates.
///
/// `BoundedConnections` calls `enter` for each accepted connection and closes the connection that `enter`
/// returns. All functions may be called from any event loop: the state is behind a mutex. The book closes
/// connections and measures time, but never reads a request.
package final class OpenConnectionBook: Sendable {
    /// The time that a connection of an unknown caller may be silent. A connection that has been silent for
    /// longer is closed first if there are too many connections.
    private static let longestSilence = TimeAmount.seconds(2)

    /// An open connection.
    fileprivate struct Entry: Sendable {
        let channel: any Channel
        let number: Int
        let entered = NIODeadline.now()
        /// The name of the known caller; `nil` while the caller is unknown.
        var caller: String?
        /// Whether the client has sent a byte.
        var hasSpoken = false
        /// Whether a request is being answered. Part of the answer may have been written already.
        var isAnswering = false

        var isStranger: Bool { caller == nil }
        var isSilentStranger: Bool { isStranger && !hasSpoken }
    }

    /// The open connections, with their counts.
    fileprivate struct Entries: Sendable {
        var open: [ObjectIdentifier: Entry] = [:]
        /// The connections that make room for others and are not closed yet.
        var leaving: [ObjectIdentifier: Entry] = [:]
        var strangersLine = Line(isOfSilent: false)
        var silentLine = Line(isOfSilent: true)
        /// The number of open connections whose caller is unknown (strangers).
        var strangers = 0
        /// The number of open connections whose caller is unknown and that have sent nothing.
        var silent = 0
        /// The number of the newest connection. Each connection gets the next number.
        var last = 0
    }

    /// A queue of the connections whose caller is unknown (strangers), in the order of their arrival. The
    /// queue contains all strangers, or only the strangers that have sent nothing (`isOfSilent`). It may
    /// contain closed connections, which are skipped.
    ///
    /// With this queue, the oldest stranger is found without a search through all connections. During an
    /// attack this search would be needed thousands of times a second.
    fileprivate struct Line: Sendable {
        let isOfSilent: Bool
        private var places: [(key: ObjectIdentifier, number: Int)] = []
        private var start = 0
    }

    /// The decision on a new connection.
    enum Entrance: Sendable {
        /// The connection is accepted. If `instead` is not `nil`, that earlier connection has to make room
        /// and must be closed.
        case served(instead: (any Channel)?)
        case refused
    }

    package let limit: Int
    private let strangerPlaces: Int
    private let knownPlaces: Int
    private let strangerLifetime: TimeAmount
    private let mostOfOneCaller: Int
    private let wasRefused: @Sendable () -> Void
    private let entries = Mutex(Entries())

    /// Creates a book without connections.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of open connections.
    ///   - strangerPlaces: the maximum number of connections whose caller is unknown; `nil` for half of the
    ///     limit.
    ///   - knownPlaces: the maximum number of connections of known callers; `nil` for the limit.
    ///   - strangerLifetime: the time for which a connection may be open while its caller is unknown.
    ///   - mostOfOneCaller: the maximum number of connections of one known caller. `nil` counts as half of
    ///     the limit, and so does a larger number.
    ///   - wasRefused: called for each connection that is refused or has to make room for another.
    package init(
        limit: Int, strangerPlaces: Int? = nil, knownPlaces: Int? = nil, strangerLifetime: TimeAmount,
        mostOfOneCaller: Int? = nil, wasRefused: @escaping @Sendable () -> Void
    ) {
        let half = max(1, limit / 2)
        self.limit = limit
        self.strangerPlaces = strangerPlaces ?? half
        self.knownPlaces = knownPlaces ?? limit
        self.strangerLifetime = strangerLifetime
        self.mostOfOneCaller = min(half, mostOfOneCaller ?? half)
        self.wasRefused = wasRefused
    }

    /// Decides on a new connection. An accepted connection is counted until it is closed.
    func enter(_ channel: any Channel) -> Entrance {
        let entrance = entries.withLock { entries -> Entrance in
            var leaving: (any Channel)?
            if entries.strangers >= strangerPlaces || entries.open.count >= limit {
                // If few strangers are silent, they are probably new and their first bytes are on the way.
                // Then only a stranger that has been silent for `longestSilence` is preferred.
                let areManySilent = entries.silent > max(1, strangerPlaces / 2)
                let silentSince = areManySilent ? NIODeadline.now() : NIODeadline.now() - Self.longestSilence
                guard let stranger = entries.removeStranger(silentSince: silentSince) else { return .refused }
                leaving = stranger
            }
            entries.addStranger(channel)
            return .served(instead: leaving)
        }
        switch entrance {
        case .served(instead: nil): break
        // The earlier connection has to make room, which counts as a refusal.
        case .served: wasRefused()
        case .refused:
            wasRefused()
            return entrance
        }
        let timer = channel.eventLoop.scheduleTask(in: strangerLifetime) {
            if self.isStranger(channel) { channel.closeAtOnce() }
        }
        channel.closeFuture.whenComplete { _ in
            timer.cancel()
            self.remove(channel)
        }
        return entrance
    }

    /// Removes a connection that was closed, whether it ended normally or was closed to make room.
    private func remove(_ channel: any Channel) {
        entries.withLock { entries in
            entries.leaving[ObjectIdentifier(channel)] = nil
            _ = entries.remove(ObjectIdentifier(channel))
        }
    }

    private func isStranger(_ channel: any Channel) -> Bool {
        entries.withLock { $0.open[ObjectIdentifier(channel)]?.isStranger == true }
    }

    /// Records that the client has sent a byte.
    func recordFirstBytes(on channel: any Channel) {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            if entries.open[key]?.isSilentStranger == true { entries.silent -= 1 }
            entries.open[key]?.hasSpoken = true
        }
    }

    /// Records that a connection belongs to a known caller, and closes a connection if there are now too
    /// many.
    ///
    /// If `caller` has more connections than `mostOfOneCaller`, its oldest one is closed. If all known
    /// callers together have too many, the caller with the most connections loses its oldest one. Several
    /// callers may share the highest number of connections. If `caller` is one of them and has more than one
    /// connection, `caller` loses its oldest one. A second connection of `caller` therefore never displaces
    /// the only connection of another caller.
    package func identify(_ channel: any Channel, as caller: String) {
        let leaving = entries.withLock { entries -> (any Channel)? in
            let key = ObjectIdentifier(channel)
            guard let entry = entries.open[key], entry.caller != caller else { return nil }
            let isNew = entry.isStranger
            if isNew { entries.strangers -= 1 }
            if entry.isSilentStranger { entries.silent -= 1 }
            entries.open[key]?.caller = caller
            let isShareFull = entries.open.values.count { $0.caller == caller } > mostOfOneCaller
            // A connection that changes from one known caller to another does not add to this number.
            let known = entries.open.count - entries.strangers
            guard isShareFull || isNew && known > knownPlaces else { return nil }
            return entries.removeOldest(
                of: isShareFull ? [caller] : entries.mostFrequentCallers(preferring: caller), except: key)
        }
        guard let leaving else { return }
        wasRefused()
        leaving.closeAtOnce()
    }

    /// Records whether a request is being answered on the connection.
    func setAnswering(_ isAnswering: Bool, on channel: any Channel) {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            entries.open[key]?.isAnswering = isAnswering
            entries.leaving[key]?.isAnswering = isAnswering
        }
    }

    /// Whether a connection that has to make room is still answering a request, which is its last. Call this
    /// function on the connection's event loop, where its requests begin.
    func isAnsweringLast(on channel: any Channel) -> Bool {
        entries.withLock { $0.leaving[ObjectIdentifier(channel)]?.isAnswering == true }
    }
}

extension OpenConnectionBook.Entries {
    fileprivate mutating func addStranger(_ channel: any Channel) {
        last += 1
        strangers += 1
        silent += 1
        let key = ObjectIdentifier(channel)
        open[key] = OpenConnectionBook.Entry(channel: channel, number: last)
        strangersLine.append(key, last, of: open)
        silentLine.append(key, last, of: open)
    }

    /// Removes an open connection.
    fileprivate mutating func remove(_ key: ObjectIdentifier) -> OpenConnectionBook.Entry? {
        guard let entry = open.removeValue(forKey: key) else { return nil }
        if entry.isStranger { strangers -= 1 }
        if entry.isSilentStranger { silent -= 1 }
        return entry
    }

    /// Removes one connection whose caller is unknown (a stranger), to make room. The oldest stranger that
    /// has been silent since `time` is removed or, if there is none, the oldest stranger of all.
    ///
    /// - Returns: the connection to close, or `nil` if all callers are known.
    fileprivate mutating func removeStranger(silentSince time: NIODeadline) -> (any Channel)? {
        let silent = silentLine.first(of: open)
        let isOverdue = silent.flatMap { open[$0]?.entered }.map { $0 <= time } ?? false
        guard let key = isOverdue ? silent : strangersLine.first(of: open), let entry = remove(key) else {
            return nil
        }
        leaving[key] = entry
        return entry.channel
    }

    /// The known callers with the most connections.
    ///
    /// - Parameter caller: if this caller is among them with more than one connection, it is returned alone.
    fileprivate func mostFrequentCallers(preferring caller: String) -> Set<String> {
        var counts: [String: Int] = [:]
        for caller in open.values.compactMap(\.caller) { counts[caller, default: 0] += 1 }
        let most = counts.values.max() ?? 0
        if most > 1, counts[caller] == most { return [caller] }
        return Set(counts.filter { $0.value == most }.keys)
    }

    /// Removes the oldest connection of these callers, to make room. A connection whose request is being
    /// answered is removed only if there is no other.
    ///
    /// - Parameter new: the new connection, which is removed only if these callers have no other.
    fileprivate mutating func removeOldest(
        of callers: Set<String>, except new: ObjectIdentifier
    ) -> (any Channel)? {
        // The connection with the lowest rank is closed. The new connection has the highest rank. Next come
        // the connections with a request that is being answered, and then the rest. Within a group, the
        // oldest connection has the lowest rank.
        func rank(_ key: ObjectIdentifier, _ entry: OpenConnectionBook.Entry) -> (Int, Int, Int) {
            (key == new ? 1 : 0, entry.isAnswering ? 1 : 0, entry.number)
        }
        let candidates = open.filter { $0.value.caller.map(callers.contains) == true }
        let first = candidates.min { rank($0.key, $0.value) < rank($1.key, $1.value) }
        guard let (key, entry) = first else { return nil }
        // `strangers` and `silent` do not change, since the connection of a known caller is in neither count.
        leaving[key] = open.removeValue(forKey: key)
        return entry.channel
    }
}

extension OpenConnectionBook.Line {
    fileprivate init(isOfSilent: Bool) {
        self.isOfSilent = isOfSilent
    }

    /// Appends an open connection.
    fileprivate mutating func append(
        _ key: ObjectIdentifier, _ number: Int, of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) {
        // A connection that was closed, or whose caller became known, stays in the queue until it reaches the
        // front. The queue is compacted when such entries are more than half of all entries, but not while
        // the queue is short.
        if places.count > 2 * open.count + 64 {
            places = places[start...].filter { counts($0, of: open) }
            start = 0
        }
        places.append((key, number))
    }

    /// The first connection in the queue that is open and whose caller is still unknown. The entries before
    /// it are dropped.
    fileprivate mutating func first(
        of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) -> ObjectIdentifier? {
        while start < places.count {
            if counts(places[start], of: open) { return places[start].key }
            start += 1
        }
        return nil
    }

    /// Whether an entry of the queue is an open connection whose caller is still unknown. The number is
    /// compared because a later connection may have the same object identifier as a closed one.
    private func counts(
        _ place: (key: ObjectIdentifier, number: Int),
        of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) -> Bool {
        guard let entry = open[place.key], entry.number == place.number else { return false }
        return isOfSilent ? entry.isSilentStranger : entry.isStranger
    }
}
