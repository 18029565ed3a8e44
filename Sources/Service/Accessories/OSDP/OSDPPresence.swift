/// The times at which the panel was heard.
struct OSDPPresence: Sendable {
    /// The silence after which the panel counts as absent.
    static let silence = Duration.seconds(8)

    /// The time of the panel's last accepted command. `nil` while the panel is absent.
    private var lastHeard: ContinuousClock.Instant?
    /// The time from which the panel has spoken in the clear only.
    private var clearSince: ContinuousClock.Instant?
    /// Whether the panel goes on in the clear although the peripheral has a key.
    private(set) var staysInClear = false

    var isOnline: Bool { lastHeard != nil }

    /// The time at which the panel counts as absent if it is not heard before.
    var deadline: ContinuousClock.Instant? { lastHeard.map { $0 + Self.silence } }

    /// Records an accepted command, or the repetition of one.
    mutating func hear(at now: ContinuousClock.Instant) { lastHeard = now }

    /// Records an accepted command in the clear, while the secure channel is required.
    mutating func hearInClear(at now: ContinuousClock.Instant) {
        lastHeard = now
        guard let since = clearSince else { return clearSince = now }
        if now - since >= Self.silence { staysInClear = true }
    }

    /// Records that the secure channel is open.
    mutating func recordChannel() {
        clearSince = nil
        staysInClear = false
    }

    /// Returns whether the panel has just become absent.
    mutating func expire(at now: ContinuousClock.Instant) -> Bool {
        guard let deadline, now >= deadline else { return false }
        lastHeard = nil
        clearSince = nil
        return true
    }
}
