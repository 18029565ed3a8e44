package import NIOCore
internal import Synchronization

/// The open connections of a listener, `limit` at most. A connection is a stranger's until its caller is known: by a token in
/// a request, or at a hub by the certificate of the handshake. Strangers have half of the places, or separate places, and each has a limited time.
/// If their places are full, one stranger makes room: the oldest of those that have sent nothing and could have, else the
/// oldest of all. So nobody who is unknown keeps out a caller who is known.
///
/// One known caller has a share of the places as well: beyond that its own oldest connection makes room. Known callers as a whole may
/// have a limit, too: beyond it the caller with the most connections gives up its oldest. A connection that is being answered makes
/// room only if all others are, too.
package final class OpenConnectionBook: Sendable {
    /// The time in which a stranger has to send something. After it a silent one makes room before those that have.
    private static let longestSilence = TimeAmount.seconds(2)

    fileprivate struct Entry: Sendable {
        let channel: any Channel
        let number: Int
        let entered = NIODeadline.now()
        /// The name of the known caller who asks on it; nil for a stranger.
        var caller: String?
        /// Whether a byte came on it.
        var hasSpoken = false
        /// Whether a part of an answer may have been written.
        var isAnswering = false

        var isStranger: Bool { caller == nil }
        var isSilentStranger: Bool { isStranger && !hasSpoken }
    }

    fileprivate struct Entries: Sendable {
        var open: [ObjectIdentifier: Entry] = [:]
        /// The connections that made room and are not closed yet.
        var leaving: [ObjectIdentifier: Entry] = [:]
        var strangersLine = Line(isOfSilent: false)
        var silentLine = Line(isOfSilent: true)
        var strangers = 0
        var silent = 0
        var last = 0
    }

    /// Strangers in the order in which they came, all or those that have sent nothing, and some that count no more. The line spares
    /// a look at all connections, thousands of times a second during an attack.
    fileprivate struct Line: Sendable {
        let isOfSilent: Bool
        private var places: [(key: ObjectIdentifier, number: Int)] = []
        private var start = 0
    }

    /// What happens to a new connection.
    enum Entrance: Sendable {
        /// It has a place, which the connection named here gave up.
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

    /// - Parameters:
    ///   - limit: how many connections may be open at once.
    ///   - strangerPlaces: how many of them may be strangers'; nil for half.
    ///   - knownPlaces: how many of them may be known callers'; nil for all.
    ///   - strangerLifetime: how long a connection may be open whose caller is unknown, whatever else happens on it.
    ///   - mostOfOneCaller: how many connections one known caller may have; nil for half of all.
    ///   - wasRefused: called for each connection that is refused, or makes room.
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

    /// Gives a connection a place until it is closed.
    func enter(_ channel: any Channel) -> Entrance {
        let entrance = entries.withLock { entries -> Entrance in
            var leaving: (any Channel)?
            if entries.strangers >= strangerPlaces || entries.open.count >= limit {
                // Few silent ones are new ones, whose first bytes are on their way.
                let areManySilent = entries.silent > max(1, strangerPlaces / 2)
                let limit = areManySilent ? NIODeadline.now() : NIODeadline.now() - Self.longestSilence
                guard let stranger = entries.removeStranger(silentSince: limit) else { return .refused }
                leaving = stranger
            }
            entries.addStranger(channel)
            return .served(instead: leaving)
        }
        switch entrance {
        case .served(instead: nil): break
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

    private func remove(_ channel: any Channel) {
        entries.withLock { entries in
            entries.leaving[ObjectIdentifier(channel)] = nil
            _ = entries.remove(ObjectIdentifier(channel))
        }
    }

    private func isStranger(_ channel: any Channel) -> Bool {
        entries.withLock { $0.open[ObjectIdentifier(channel)]?.isStranger == true }
    }

    /// Records that a byte came.
    func spoke(_ channel: any Channel) {
        entries.withLock { entries in
            let key = ObjectIdentifier(channel)
            if entries.open[key]?.isSilentStranger == true { entries.silent -= 1 }
            entries.open[key]?.hasSpoken = true
        }
    }

    /// Records that a known caller is at the other end. If that caller has more connections than its share, its oldest is closed; if all
    /// known callers have more than their places, the oldest of the caller with the most. Of several callers with the most it is this
    /// one, if it has a further connection: nobody's second connection takes the only one of another.
    package func know(_ channel: any Channel, as caller: String) {
        let leaving = entries.withLock { entries -> (any Channel)? in
            let key = ObjectIdentifier(channel)
            guard let entry = entries.open[key], entry.caller != caller else { return nil }
            let isNew = entry.isStranger
            if isNew { entries.strangers -= 1 }
            if entry.isSilentStranger { entries.silent -= 1 }
            entries.open[key]?.caller = caller
            let isShareFull = entries.open.values.count { $0.caller == caller } > mostOfOneCaller
            let known = entries.open.count - entries.strangers
            guard isShareFull || isNew && known > knownPlaces else { return nil }
            return entries.removeOldest(
                of: isShareFull ? [caller] : entries.mostFrequentCallers(preferring: caller), except: key)
        }
        guard let leaving else { return }
        wasRefused()
        leaving.closeAtOnce()
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
        silent += 1
        let key = ObjectIdentifier(channel)
        open[key] = OpenConnectionBook.Entry(channel: channel, number: last)
        strangersLine.append(key, last, of: open)
        silentLine.append(key, last, of: open)
    }

    /// Removes a connection that is open.
    fileprivate mutating func remove(_ key: ObjectIdentifier) -> OpenConnectionBook.Entry? {
        guard let entry = open.removeValue(forKey: key) else { return nil }
        if entry.isStranger { strangers -= 1 }
        if entry.isSilentStranger { silent -= 1 }
        return entry
    }

    /// One stranger makes room: the oldest that has been silent since this time, else the oldest.
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
    /// - Parameter caller: it is the only one where it has as many as any other, and more than one.
    fileprivate func mostFrequentCallers(preferring caller: String) -> Set<String> {
        var counts: [String: Int] = [:]
        for caller in open.values.compactMap(\.caller) { counts[caller, default: 0] += 1 }
        let most = counts.values.max() ?? 0
        if most > 1, counts[caller] == most { return [caller] }
        return Set(counts.filter { $0.value == most }.keys)
    }

    /// The oldest connection of these callers that is not being answered makes room, else the oldest.
    ///
    /// - Parameter new: the connection that room is made for. It leaves only where there is no other.
    fileprivate mutating func removeOldest(
        of callers: Set<String>, except new: ObjectIdentifier
    ) -> (any Channel)? {
        func rank(_ key: ObjectIdentifier, _ entry: OpenConnectionBook.Entry) -> (Int, Int, Int) {
            (key == new ? 1 : 0, entry.isAnswering ? 1 : 0, entry.number)
        }
        let candidates = open.filter { $0.value.caller.map(callers.contains) == true }
        let first = candidates.min { rank($0.key, $0.value) < rank($1.key, $1.value) }
        guard let (key, entry) = first else { return nil }
        leaving[key] = open.removeValue(forKey: key)
        return entry.channel
    }
}

extension OpenConnectionBook.Line {
    fileprivate init(isOfSilent: Bool) {
        self.isOfSilent = isOfSilent
    }

    /// Appends a connection of those that are open.
    fileprivate mutating func append(
        _ key: ObjectIdentifier, _ number: Int, of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) {
        // Most strangers leave by themselves, and stay in the line: it is cleared before it is long.
        if places.count > 2 * open.count + 64 {
            places = places[start...].filter { counts($0, of: open) }
            start = 0
        }
        places.append((key, number))
    }

    /// The first that counts. Those before it are left behind.
    fileprivate mutating func first(
        of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) -> ObjectIdentifier? {
        while start < places.count {
            if counts(places[start], of: open) { return places[start].key }
            start += 1
        }
        return nil
    }

    /// A system may give the identity of a connection that is closed to a later one, which has another number.
    private func counts(
        _ place: (key: ObjectIdentifier, number: Int),
        of open: [ObjectIdentifier: OpenConnectionBook.Entry]
    ) -> Bool {
        guard let entry = open[place.key], entry.number == place.number else { return false }
        return isOfSilent ? entry.isSilentStranger : entry.isStranger
    }
}
