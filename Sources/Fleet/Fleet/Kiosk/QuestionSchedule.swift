/// The time of a kiosk's next question to its hub. The value reads no clock; the caller passes the time.
///
/// Notices and failures ask for a question at some time, and the earliest request counts. At least `interval`
/// passes between two questions, however many notices the broker sends.
struct QuestionSchedule {
    /// The minimum time from the end of one question to the next.
    static let interval = Duration.seconds(1)

    /// The requested time of the next question, or `nil` without a request.
    private var next: ContinuousClock.Instant?
    /// The earliest time of the next question.
    private var earliest: ContinuousClock.Instant?
    /// The number of failures in a row.
    private var failures = 0

    /// Requests a question at a time.
    mutating func ask(at time: ContinuousClock.Instant) {
        next = min(next ?? time, time)
    }

    /// Returns the time until the next question (zero if it is due), or `nil` without a request.
    func wait(at now: ContinuousClock.Instant) -> Duration? {
        guard let next else { return nil }
        return max(.zero, max(next, earliest ?? next) - now)
    }

    /// Begins a question and removes the request for it. A request that comes during the question leads to
    /// another question.
    mutating func begin() { next = nil }

    /// Ends a question. If the question was not complete, another follows after a pause.
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
