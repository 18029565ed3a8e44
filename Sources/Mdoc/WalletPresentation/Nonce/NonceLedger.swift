package import MdocModel

/// The nonces of one server, in memory.
///
/// A nonce is kept for twice its lifetime, so that a late answer is refused with the reason `expired`.
package struct NonceLedger: Sendable {
    private struct Entry {
        let issued: IssuedNonce
        let asked: [UInt8]
        var isSpent = false
    }

    /// The number of seconds in which a nonce may be spent.
    package let lifetime: Int64
    /// The maximum number of stored nonces.
    package let capacity: Int
    private var entries: [PresentationNonce: Entry] = [:]
    /// The nonces in the order of issue, which is also the order of expiry. The nonces before the index
    /// `oldest` are deleted already.
    private var order: [PresentationNonce] = []
    private var oldest = 0

    package init(lifetime: Int64, capacity: Int) {
        self.lifetime = lifetime
        self.capacity = capacity
    }

    package var count: Int { entries.count }

    /// Issues a nonce that the caller generated, and stores the request beside it.
    ///
    /// - Parameter asked: The request, in the caller's encoding.
    /// - Throws: `NonceRefusal.issuedBefore` or `tooMany`.
    package mutating func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8] = [], at now: Timestamp
    ) throws(NonceRefusal) -> IssuedNonce {
        deleteExpired(at: now)
        guard entries[nonce] == nil else { throw .issuedBefore }
        guard entries.count < capacity else { throw .tooMany }
        let issued = IssuedNonce(nonce, to: session, for: channel, expires: now.advanced(bySeconds: lifetime))
        entries[nonce] = Entry(issued: issued, asked: asked)
        order.append(nonce)
        return issued
    }

    /// Marks a nonce as spent.
    ///
    /// - Returns: The proof with which one presentation is opened.
    /// - Throws: `NonceRefusal` if the nonce must not be used.
    package mutating func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) throws(NonceRefusal) -> SpentNonce {
        guard let entry = entries[nonce] else { throw .unknown }
        try entry.issued.check(session: session, channel: channel, at: now)
        // `entry` is a copy from before this line, so the first caller still sees an unspent nonce.
        entries[nonce]?.isSpent = true
        return try entry.issued.spent(isFirstUse: !entry.isSpent, by: session, over: channel, at: now)
    }

    /// Returns the request that was stored with the nonce; empty for an unknown nonce.
    package func asked(with nonce: PresentationNonce) -> [UInt8] { entries[nonce]?.asked ?? [] }

    /// Deletes the nonces that expired at least one lifetime ago.
    private mutating func deleteExpired(at now: Timestamp) {
        while oldest < order.count, let entry = entries[order[oldest]],
            entry.issued.expires.advanced(bySeconds: lifetime) < now
        {
            entries[order[oldest]] = nil
            oldest += 1
        }
        // The front of the array is removed in large steps, so that each issue costs constant time on
        // average.
        guard oldest > 64, oldest > order.count / 2 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }
}
