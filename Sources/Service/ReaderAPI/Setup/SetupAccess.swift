internal import MdocModel
package import OpenSSLCrypto
internal import Synchronization

/// The access of a single browser page to setup, and the end of that access.
///
/// `countersignd setup-page` prints an address with a code. The first page that sends the code gets a secret,
/// and sends the secret with each later request. The code works once, so no other page gets access.
///
/// The access ends after 30 minutes, when the user presses the page's button, or after five wrong codes
/// before the right one. The secret is not a cookie, because browsers send a cookie to all ports of a
/// host, and so to the servers of other users of this computer. The functions receive the time as an
/// argument, so that tests need not wait.
package final class SetupAccess: Sendable {
    /// The reason why the access ended.
    package enum End: Equatable, Sendable {
        /// The user pressed the button of the page.
        case finished
        /// The time `lifetime` has passed.
        case overdue
        /// Wrong codes were sent `mostTries` times before the code was used.
        case guessed
    }

    private struct State {
        var isUsed = false
        var wrongCodes = 0
        var end: End?
    }

    package static let lifetime = Duration.seconds(30 * 60)
    static let mostTries = 5

    /// The code for the address of the page.
    package let code: String
    /// The stream that delivers the reason for the end of the access, once.
    package let ends: AsyncStream<End>
    private let secret: String
    private let deadline: ContinuousClock.Instant
    private let state = Mutex(State())
    private let ending: AsyncStream<End>.Continuation

    package init(at now: ContinuousClock.Instant = .now) throws(OpenSSLCryptoError) {
        code = try randomBytes(16).hexadecimal
        secret = try randomBytes(32).hexadecimal
        deadline = now + Self.lifetime
        (ends, ending) = AsyncStream.makeStream()
    }

    /// Uses the code up, and returns the secret of the page.
    ///
    /// - Throws: `pageCodeRefused` if the code is wrong or used, or if the access has ended.
    package func redeem(_ text: String, at now: ContinuousClock.Instant = .now) throws(APIProblem) -> String {
        endIfOverdue(at: now)
        let isRight = Self.isEqual(text, code)
        let (isAdmitted, isGuessed) = state.withLock { state -> (Bool, Bool) in
            // After the code was used, wrong codes are not counted, so that they do not end the access of
            // the page that used it.
            guard state.end == nil, !state.isUsed else { return (false, false) }
            if isRight {
                state.isUsed = true
                return (true, false)
            }
            state.wrongCodes += 1
            return (false, state.wrongCodes >= Self.mostTries)
        }
        if isGuessed { end(.guessed) }
        guard isAdmitted else { throw .pageCodeRefused }
        return secret
    }

    /// Checks the secret of a request.
    ///
    /// - Throws: `unauthorized` if the secret is wrong or missing, or if the access has ended.
    package func check(secret text: String?, at now: ContinuousClock.Instant = .now) throws(APIProblem) {
        endIfOverdue(at: now)
        guard let text, Self.isEqual(text, secret), state.withLock({ $0.isUsed && $0.end == nil }) else {
            throw .unauthorized
        }
    }

    /// Ends the access, unless it has ended already.
    package func end(_ end: End) {
        let isFirst = state.withLock { state in
            guard state.end == nil else { return false }
            state.end = end
            return true
        }
        guard isFirst else { return }
        ending.yield(end)
        ending.finish()
    }

    private func endIfOverdue(at now: ContinuousClock.Instant) {
        if now >= deadline { end(.overdue) }
    }

    /// Compares digests, so that the time depends neither on the length nor on the first equal characters.
    private static func isEqual(_ text: String, _ other: String) -> Bool {
        Digest(.sha256, of: Array(text.utf8)[...])
            .equals(Digest(.sha256, of: Array(other.utf8)[...]).bytes[...])
    }
}
