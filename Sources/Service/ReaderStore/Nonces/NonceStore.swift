internal import ErrorMapping
package import MdocModel
package import WalletPresentation

/// Where the nonces are that were issued: in one server, or in a database that several share. It answers at most once
/// that a nonce is spent, whoever asks and however many at a time.
package protocol NonceStore: Sendable {
    /// Issues a nonce that the caller drew, and keeps what is asked with it.
    func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) async throws(NonceStoreError) -> IssuedNonce

    /// Spends a nonce. If the store does not know whether it did, it throws: treat the nonce as spent.
    func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) async throws(NonceStoreError) -> SpentRequest
}

/// How long nonces hold, and how many.
package struct NonceTerms: Equatable, Sendable {
    /// How many seconds a nonce may be spent. It is remembered for as long again, so that a late answer is refused
    /// with the reason.
    package var lifetime: Int64 = 300
    /// How many are kept at a time.
    package var capacity = 100_000

    /// The most bytes that are kept of what was asked.
    package static let longestAsked = 1 << 13
    /// How often those that nobody asks for any more are deleted, in seconds.
    static let sweepInterval: Int64 = 2
    /// How many are deleted at a time: others wait meanwhile.
    static let sweepSize = 20_000

    package init() {}

    /// The latest expiry that a nonce may have: one with a later expiry was issued before a restart, while the clock ran
    /// ahead. An hour more than the longest lifetime, since the clocks of several servers may differ.
    static func latestExpiry(at now: Timestamp) -> Timestamp {
        now.advanced(bySeconds: 2 * 3600)
    }
}

/// A spent nonce, and what was asked with it.
package struct SpentRequest: ~Copyable, Sendable {
    package let asked: [UInt8]
    private let nonce: SpentNonce

    init(_ nonce: consuming SpentNonce, asked: [UInt8]) {
        self.nonce = nonce
        self.asked = asked
    }

    package consuming func spentNonce() -> SpentNonce { nonce }
}

/// What a store found when somebody came with a nonce.
struct NonceUse: Sendable {
    let issued: IssuedNonce
    let asked: [UInt8]
    /// What the store's one atomic step answered.
    let isFirstUse: Bool

    func spent(
        by session: SessionBinding, over channel: PresentationChannel, at now: Timestamp
    ) throws(NonceStoreError) -> SpentRequest {
        guard issued.expires <= NonceTerms.latestExpiry(at: now) else { throw .refused(.expired) }
        return try mapping(
            SpentRequest(
                try issued.spent(isFirstUse: isFirstUse, by: session, over: channel, at: now), asked: asked),
            NonceStoreError.refused)
    }
}

/// Why a nonce was neither issued nor spent.
package enum NonceStoreError: Error, Equatable, Sendable {
    case refused(NonceRefusal)
    /// More is to be kept than `NonceTerms.longestAsked`.
    case askedTooLong
    /// More requests wait for the database than it can answer in time.
    case overloaded
    /// The library that reaches the database is not installed.
    case libraryMissing
    /// The database cannot be reached.
    case unreachable
    /// The database did not answer in time: what was asked of it may have happened.
    case overdue
    /// The database refused, with its own code: five characters of SQLSTATE, or a result code of SQLite.
    case failed(code: String)
}
