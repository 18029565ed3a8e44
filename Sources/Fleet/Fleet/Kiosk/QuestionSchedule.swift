/// When a kiosk asks its hub next: a value that is fed with time.
///
/// Notices and failures ask for a question at a time; the earliest of them counts. Between two questions there is at least `interval`,
/// whatever the broker says.
struct QuestionSchedule {
    /// The shortest time from the end of one question to the next.
    static let interval = Duration.seconds(1)

    /// When the next question is asked for; nil if nothing asks for one.
    private var next: ContinuousClock.Instant?
    /// Before this no question is asked.
    private var earliest: ContinuousClock.Instant?
    /// The failures in a row.
    private var failures = 0

    mutating func ask(at time: ContinuousClock.Instant) {
        next = min(next ?? time, time)
    }

    /// The time until the next question, which is zero once it is due; nil if nothing asks for one.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let next else { return nil }
        return max(.zero, max(next, earliest ?? next) - now)
    }

    /// The question is on its way: what is asked for from now on is another one.
    mutating func begin() { next = nil }

    /// The question was answered as it should be, or another one follows after a pause.
    ///
    /// - Parameter pause: The pause after so many failures in a row before this one.
    mutating func end(isComplete: Bool, at now: ContinuousClock.Instant, pausing pause: (Int) -> Duration) {
        earliest = now + Self.interval
        guard !isComplete else {
            failures = 0
            return
        }
        ask(at: now + pause(failures))
        failures += 1
    }
}
