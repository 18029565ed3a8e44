internal import OpenSSLCrypto
internal import PresentationService

/// The pairing words that were made for pages and are not used yet.
///
/// The value reads no clock and chooses no words; `PageSessions` keeps it in a mutex. Three words have
/// only 30 bits, so these rules make guessing hard:
/// - Words can be used once, within 10 minutes.
/// - Five wrong tries make all unused words invalid, no matter which client makes the tries. An attacker who
///   reaches the daemon can therefore keep people from using words, but can hardly guess any: the chance is
///   at most 5 × the number of unused sets of words in 2³⁰.
/// - A caller has at most four unused sets of three words. A further set replaces the caller's oldest one.
/// - A wrong try while there are no unused words is not counted, because there is nothing to guess.
struct OpenPairings: Sendable {
    /// The time for which words are valid, in seconds.
    static let validSeconds = 600
    /// The number of wrong tries after which all unused words are invalid.
    static let mostWrongTries = 5
    /// The maximum number of unused sets of three words of one caller.
    static let mostOpen = 4

    private struct Pairing: Sendable {
        let digest: Digest
        let place: PagePlace
        let caller: KnownCaller
        let made: ContinuousClock.Instant
    }

    /// The result of a try.
    enum Try: Sendable {
        /// The words were right, and are used up now.
        case accepted(PagePlace, KnownCaller)
        case refused
        /// The words were wrong, and this try made all unused words invalid.
        case refusedAndEnded
    }

    private var open: [Pairing] = []
    /// The number of wrong tries since `open` was last empty.
    private var wrongTries = 0

    /// Adds words with which a page can sign in.
    mutating func add(
        _ words: PairingWords, for place: PagePlace, by caller: KnownCaller, at now: ContinuousClock.Instant
    ) {
        removeOld(at: now)
        // New words are appended. The first of the caller's words are therefore the oldest.
        let own = open.indices.filter { open[$0].caller.credential == caller.credential }
        if own.count >= Self.mostOpen, let oldest = own.first { open.remove(at: oldest) }
        open.append(
            Pairing(digest: Self.digest(of: words.text), place: place, caller: caller, made: now))
    }

    /// Compares a typed text with all unused words. Uses up the words that match, or counts a wrong try.
    mutating func redeem(_ text: String, at now: ContinuousClock.Instant) -> Try {
        removeOld(at: now)
        let given = Self.digest(of: text).bytes
        var found: Int?
        // The loop does not end at a match, so that its time does not depend on the text.
        for index in open.indices where open[index].digest.equals(given[...]) { found = index }
        if let found {
            let pairing = open.remove(at: found)
            if open.isEmpty { wrongTries = 0 }
            return .accepted(pairing.place, pairing.caller)
        }
        guard !open.isEmpty else { return .refused }
        wrongTries += 1
        guard wrongTries >= Self.mostWrongTries else { return .refused }
        open = []
        wrongTries = 0
        return .refusedAndEnded
    }

    private mutating func removeOld(at now: ContinuousClock.Instant) {
        open.removeAll { now - $0.made >= .seconds(Self.validSeconds) }
        if open.isEmpty { wrongTries = 0 }
    }

    private static func digest(of text: String) -> Digest {
        Digest(.sha256, of: Array(PairingWords.folded(text).utf8)[...])
    }
}
