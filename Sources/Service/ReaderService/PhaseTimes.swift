/// Measures the phases of a presentation, one after the other.
struct PhaseTimes: Sendable {
    private(set) var phases: [PhaseTime] = []
    private var start = ContinuousClock.now

    /// When the last phase ended.
    var latest: ContinuousClock.Instant { start }

    /// Ends a phase now, or at the given instant. What a further request takes is added to what the first took.
    mutating func end(_ name: PhaseTime.Name, at instant: ContinuousClock.Instant = .now) {
        let duration = start.duration(to: instant)
        start = instant
        if let index = phases.firstIndex(where: { $0.name == name }) {
            phases[index] = PhaseTime(name: name, duration: phases[index].duration + duration)
        } else {
            phases.append(PhaseTime(name: name, duration: duration))
        }
    }
}
