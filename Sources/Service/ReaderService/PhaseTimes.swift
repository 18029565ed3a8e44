/// Measures the phases of a presentation, one after the other.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    private var start = ContinuousClock.now

    /// When the last phase ended.
    var latest: ContinuousClock.Instant { start }

    /// Ends a phase now, or at the given instant.
    mutating func end(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant = .now) {
        phases.append(PhaseTime(name: name, duration: start.duration(to: instant)))
        start = instant
    }

    /// Begins anew, as when a phone comes into the field.
    mutating func restart() {
        phases = []
        start = .now
    }
}
