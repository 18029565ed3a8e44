internal import ErrorMapping
package import MdocModel
package import WalletPresentation

/// The nonces that were issued for presentations through apps and web pages, each with its request.
///
/// A nonce binds a request to one session of a browser or app. The response to the request is accepted once.
/// The store guarantees that at most one call of `spend` succeeds for a nonce, even if several servers call
/// `spend` at the same time.
///
/// A nonce has three states: issued, spent, and forgotten. A spent or expired nonce is remembered for another
/// lifetime, so that a late response is refused as used or expired, and not as unknown.
///
/// There are three implementations:
///
/// - `MemoryNonces`: one server that may forget its nonces when it ends;
/// - `SQLiteNonces`: one server, on its disk;
/// - `PostgreSQLNonces`: several servers with one database.
///
/// `OnlineVerifier` calls the store from any task. Implementations wait for the disk or the network without
/// blocking the caller's thread, and refuse with `overloaded` when too many calls wait. A store keeps the
/// request that the server made, and never a response of a phone.
package protocol NonceStore: Sendable {
    /// Issues a nonce that the caller drew at random.
    ///
    /// - Parameters:
    ///   - asked: the encoded request, which `spend` returns; at most `NonceTerms.longestAsked` bytes.
    /// - Returns: the nonce with its expiry.
    /// - Throws: `refused` if the nonce was issued before, or if the store has too many nonces, for example.
    func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) async throws(NonceStoreError) -> IssuedNonce

    /// Marks a nonce as spent, and returns the request that was stored with it.
    ///
    /// - Throws: `refused` for a nonce that is unknown, spent, expired, or of another session or channel.
    ///   After any other error the nonce may have been spent: treat it as spent.
    func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) async throws(NonceStoreError) -> SpentRequest
}

/// The lifetime and the maximum number of nonces.
package struct NonceTerms: Equatable, Sendable {
    /// The number of seconds in which a nonce may be spent. Afterwards the store remembers the nonce for as
    /// long again, so that a late response is refused with the reason.
    package var lifetime: Int64 = 300
    /// The maximum number of nonces in the store.
    package var capacity = 100_000

    /// The maximum size of an encoded request, in bytes.
    package static let longestAsked = 1 << 13
    /// The interval between two sweeps, which delete expired nonces, in seconds.
    static let sweepInterval: Int64 = 2
    /// The maximum number of nonces that one sweep deletes, because other calls wait meanwhile.
    static let sweepSize = 20_000

    package init() {}

    /// Returns the latest expiry that a valid nonce can have. A nonce with a later expiry was issued before a
    /// restart, while the clock was ahead. A configuration may set a lifetime of at most one hour. The result
    /// allows one more hour, because the clocks of servers differ.
    static func latestExpiry(at now: Timestamp) -> Timestamp {
        now.advanced(bySeconds: 2 * 3600)
    }
}

/// The number of nonces in a shared store, as counted by one process, and the time of the process's next
/// sweep.
///
/// A sweep suspends its actor, and other calls may issue nonces meanwhile. `endSweep` adds these nonces to
/// the number that the sweep found, so that the capacity includes them.
struct NonceCount: Sendable {
    /// The number of nonces at the last sweep, plus the nonces that were issued since that sweep began.
    private var count = 0
    private var countAtSweep = 0
    private var nextSweep = Timestamp(secondsSince1970: .min)
    private var lastDue = Timestamp(secondsSince1970: .min)

    func isSweepDue(at now: Timestamp) -> Bool { now >= nextSweep }

    /// Begins a sweep. Called before the suspension, so that no other call begins a second one.
    mutating func beginSweep(at now: Timestamp) {
        (lastDue, countAtSweep) = (nextSweep, count)
        nextSweep = now.advanced(bySeconds: NonceTerms.sweepInterval)
    }

    /// Ends a sweep that left this many nonces in the store.
    mutating func endSweep(leaving left: Int) { count = left + max(0, count - countAtSweep) }

    /// Ends a sweep that the store refused. The number is not known, so the next call sweeps again, without
    /// waiting for `NonceTerms.sweepInterval`.
    mutating func failSweep() { nextSweep = lastDue }

    /// Counts a nonce before it is issued, so that calls at the same time cannot exceed the capacity
    /// together. If the call fails, the next sweep corrects the count.
    mutating func add(upTo capacity: Int) throws(NonceStoreError) {
        guard count < capacity else { throw .refused(.tooMany) }
        count += 1
    }
}

/// A spent nonce and the request that was stored with it.
package struct SpentRequest: ~Copyable, Sendable {
    package let asked: [UInt8]
    private let nonce: SpentNonce

    init(_ nonce: consuming SpentNonce, asked: [UInt8]) {
        self.nonce = nonce
        self.asked = asked
    }

    package consuming func spentNonce() -> SpentNonce { nonce }
}

/// The stored data of a nonce that somebody tries to spend.
struct NonceUse: Sendable {
    let issued: IssuedNonce
    let asked: [UInt8]
    /// Whether the store's atomic update changed the nonce from unspent to spent.
    let isFirstUse: Bool

    /// Returns the request of the nonce, if this is the first use and session, channel and time match.
    ///
    /// - Throws: `refused` with the reason.
    func spent(
        by session: SessionBinding, over channel: PresentationChannel, at now: Timestamp
    ) throws(NonceStoreError) -> SpentRequest {
        // A later expiry was set while the clock was ahead (`latestExpiry`).
        guard issued.expires <= NonceTerms.latestExpiry(at: now) else { throw .refused(.expired) }
        return try mapping(
            SpentRequest(
                try issued.spent(isFirstUse: isFirstUse, by: session, over: channel, at: now), asked: asked),
            NonceStoreError.refused)
    }
}

/// The reason why a nonce was not issued, or not spent.
package enum NonceStoreError: Error, Equatable, Sendable {
    /// The nonce itself is refused: for example, it is unknown, spent or expired.
    case refused(NonceRefusal)
    /// The request is larger than `NonceTerms.longestAsked`.
    case askedTooLong
    /// More calls wait for the database than it can answer in time.
    case overloaded
    /// The library that reaches the database is not installed.
    case libraryMissing
    /// The database cannot be reached.
    case unreachable
    /// The database did not answer in time. The nonce may have been issued or spent nevertheless.
    case overdue
    /// The database reported an error: an SQLSTATE of five characters, or a result code of SQLite. The code
    /// `row` stands for a row or a table without the expected columns.
    case failed(code: String)
}
