/// The time of a kiosk's next question to its hub. A question is a request for the state that the hub wants
/// for the kiosk. This value reads no clock: the caller passes the time.
///
/// Each change notice or failure schedules a question. If several times are scheduled, the earliest is used.
/// At least `interval` passes between two questions, however many notices the broker sends.
struct QuestionSchedule {
    /// The minimum time from the end of one question to the next.
    static let interval = Duration.seconds(1)

    /// The scheduled time of the next question, or `nil` if none is scheduled.
    private var next: ContinuousClock.Instant?
    /// The time before which no question may be asked, even if it is scheduled earlier.
    private var earliest: ContinuousClock.Instant?
    /// The number of failures in a row.
    private var failures = 0

    /// Schedules a question, unless an earlier one is scheduled.
    mutating func ask(at time: ContinuousClock.Instant) {
        next = min(next ?? time, time)
    }

    /// Returns the time until the next question, zero if the question is due, or `nil` if none is scheduled.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let next else { return nil }
        return max(.zero, max(next, earliest ?? next) - now)
    }

    /// Begins a question and removes it from the schedule. A question that is scheduled meanwhile is asked
    /// afterwards.
    mutating func begin() { next = nil }

    /// Ends a question. If the hub must be asked again soon (`isComplete` is `false`), another question
    /// follows after a pause.
    ///
    /// - Parameter pause: A function that returns the pause for the number of earlier failures in a row.
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
