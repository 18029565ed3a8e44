internal import ErrorMapping
package import MdocModel
package import ReaderStore
internal import Synchronization

/// Remembers when each token was first used; across restarts, if the reader is to keep its sessions.
package protocol TokenFirstUses: Sendable {
    /// When the token was first used. If it never was, `now` is remembered as its first use; without `now` nothing is.
    ///
    /// - Parameter token: `UnverifiedReaderToken.digest` of a token whose signature was verified.
    func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) async throws(ReaderTokensError) -> Timestamp?
}

/// First uses as long as the process lives.
package final class TokenFirstUsesInMemory: TokenFirstUses {
    private let instants = Mutex<[[UInt8]: Timestamp]>([:])

    package init() {}

    package func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderTokensError) -> Timestamp? {
        instants.withLock { instants in
            if let first = instants[token] { return first }
            instants[token] = now
            return now
        }
    }
}

extension ReaderStore: TokenFirstUses {
    package func firstUse(
        ofToken token: [UInt8], orNow now: Timestamp?
    ) throws(ReaderTokensError) -> Timestamp? {
        try mapping(firstTokenUse(token, orNow: now), ReaderTokensError.firstUseUnknown)
    }
}
