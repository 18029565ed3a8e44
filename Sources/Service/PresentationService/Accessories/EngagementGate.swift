/// The limits on the codes with which phones are engaged at the lanes: how many, and how often the same.
///
/// Anybody can hold any code before a scanner, and each engagement may cost a search over Bluetooth. The gate
/// therefore applies these rules:
/// - **Rate:** a lane accepts codes with a weight of at most `most` within `window`. A malformed code has twice
///   the weight of an engagement. A code above the limit begins a pause of `pause`, in which the lane accepts no
///   code.
/// - **Repetition:** a code that stays in view is read again and again. Within `repetition` after a code was
///   accepted, the same code has no second effect.
/// - **Reuse:** a code with which a session was established is refused for `usedTime`. A code that failed before
///   a session may come again, because a phone shows its code until it is connected.
///
/// The gate knows a code only by its digest. The used codes are in memory only, and at most `mostUsed` of them.
/// Memory is enough: the key of an engagement belongs to one session, and the phone discards it with the session
/// (ISO/IEC 18013-5, 9.1.1.4). A code that the daemon has forgotten therefore leads to no session either. The
/// refusal saves the search for a phone that does not answer, and tells the holder to open the ID again.
///
/// `PresentationCoordinator` owns the only gate. The value reads no clock and starts no task.
struct EngagementGate: Sendable {
    /// The maximum weight of the codes that a lane accepts within `window`.
    static let most = 6
    static let window = Duration.seconds(60)
    static let pause = Duration.seconds(10)
    static let repetition = Duration.seconds(2)
    static let usedTime = Duration.seconds(24 * 3600)
    static let mostUsed = 4096
    private static let weightOfMalformed = 2

    /// The effect of a code that the gate does not refuse.
    enum Admission: Equatable, Sendable {
        case new
        /// The code was accepted a moment ago.
        case repeated
    }

    private struct Lane: Sendable {
        /// The codes within the last `window`, earliest first.
        var codes: [(at: ContinuousClock.Instant, weight: Int)] = []
        var pauseEnd: ContinuousClock.Instant?
        /// The last code that was counted.
        var last: (code: EngagementDigest, at: ContinuousClock.Instant)?

        /// The instant from which a code of this weight has room, or `nil` if it has room now.
        func room(for weight: Int) -> ContinuousClock.Instant? {
            var excess = codes.reduce(weight) { $0 + $1.weight } - most
            guard excess > 0 else { return nil }
            // The earliest codes leave the window first.
            let last = codes.first { code in
                excess -= code.weight
                return excess <= 0
            }
            return last.map { $0.at + window }
        }
    }

    private struct Used: Sendable {
        let code: EngagementDigest
        let at: ContinuousClock.Instant
    }

    private var lanes: [String: Lane] = [:]
    /// The codes with which a session was established, earliest first.
    private var used: [Used] = []
    private var usedCodes: Set<EngagementDigest> = []
    /// The accepted codes of presentations that have no session yet.
    private var waiting: [PresentationID: EngagementDigest] = [:]

    // MARK: Codes

    /// Checks whether an engagement may be used at a lane. The caller calls `accept` once the lane uses it.
    ///
    /// - Throws: `engagementReused`, or `tooManyEngagements`.
    mutating func admit(
        _ code: EngagementDigest, at lane: String, now: ContinuousClock.Instant
    ) throws(PresentationServiceError) -> Admission {
        // A used code is refused even if it came a moment ago: the lane may wait for the next phone already.
        try checkReuse(of: code, now: now)
        if isRepeated(code, at: lane, now: now) { return .repeated }
        try checkRate(adding: 1, at: lane, now: now)
        return .new
    }

    /// Checks that no session was established with this code.
    ///
    /// - Throws: `engagementReused`.
    mutating func checkReuse(
        of code: EngagementDigest, now: ContinuousClock.Instant
    ) throws(PresentationServiceError) {
        forgetUsed(before: now - Self.usedTime)
        guard !usedCodes.contains(code) else { throw .engagementReused }
    }

    /// Counts an engagement that a lane uses.
    mutating func accept(
        _ code: EngagementDigest, at lane: String, for presentation: PresentationID,
        now: ContinuousClock.Instant
    ) {
        count(code, weight: 1, at: lane, now: now)
        waiting[presentation] = code
    }

    /// Counts a malformed code. A code that stays in view is counted once.
    ///
    /// - Throws: `tooManyEngagements` if the lane has reached its limit.
    mutating func countMalformed(
        _ code: EngagementDigest, at lane: String, now: ContinuousClock.Instant
    ) throws(PresentationServiceError) {
        guard !isRepeated(code, at: lane, now: now) else { return }
        try checkRate(adding: Self.weightOfMalformed, at: lane, now: now)
        count(code, weight: Self.weightOfMalformed, at: lane, now: now)
    }

    // MARK: Presentations

    /// Whether a code was accepted for this presentation, and its phone has established no session yet.
    func isWaiting(_ presentation: PresentationID) -> Bool { waiting[presentation] != nil }

    /// Records that the phone of a presentation has established a session. If the phone was engaged by a code,
    /// the code is used up.
    mutating func establish(_ presentation: PresentationID, now: ContinuousClock.Instant) {
        guard let code = waiting.removeValue(forKey: presentation), usedCodes.insert(code).inserted else {
            return
        }
        used.append(Used(code: code, at: now))
        if used.count > Self.mostUsed { usedCodes.remove(used.removeFirst().code) }
    }

    /// Records that a presentation has ended. Its code may come again unless a session was established.
    mutating func end(_ presentation: PresentationID) {
        waiting[presentation] = nil
    }

    // MARK: Limits

    private func isRepeated(
        _ code: EngagementDigest, at lane: String, now: ContinuousClock.Instant
    ) -> Bool {
        lanes[lane]?.last.map { $0.code == code && now < $0.at + Self.repetition } ?? false
    }

    private mutating func count(
        _ code: EngagementDigest, weight: Int, at lane: String, now: ContinuousClock.Instant
    ) {
        // The codes of a clerk are not checked against the limit, so that the old ones are forgotten here.
        lanes[lane, default: Lane()].codes.removeAll { $0.at <= now - Self.window }
        lanes[lane]?.codes.append((now, weight))
        lanes[lane]?.last = (code, now)
    }

    /// Checks that a lane has room for a code of this weight, and begins a pause if it has none.
    private mutating func checkRate(
        adding weight: Int, at name: String, now: ContinuousClock.Instant
    ) throws(PresentationServiceError) {
        guard var lane = lanes[name] else { return }
        lane.codes.removeAll { $0.at <= now - Self.window }
        defer { lanes[name] = lane }
        let room = lane.room(for: weight)
        if let end = lane.pauseEnd, now < end { throw Self.tooMany(until: max(end, room ?? end), now: now) }
        guard let room else { return }
        let end = now + Self.pause
        lane.pauseEnd = end
        throw Self.tooMany(until: max(end, room), now: now)
    }

    private static func tooMany(
        until end: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) -> PresentationServiceError {
        // Rounded up, so that a code after this time is accepted.
        .tooManyEngagements(retryAfter: max(1, (end - now).components.seconds + 1))
    }

    private mutating func forgetUsed(before time: ContinuousClock.Instant) {
        let old = used.prefix { $0.at <= time }
        for one in old { usedCodes.remove(one.code) }
        used.removeFirst(old.count)
    }
}
