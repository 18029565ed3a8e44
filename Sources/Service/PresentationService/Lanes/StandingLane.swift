internal import ReaderService

/// How far a lane is that asks by itself.
struct StandingLane: Sendable {
    /// What becomes of the lane's own presentation before a phone is asked.
    enum Phase: Sendable {
        /// A phone is asked, or the next presentation is not armed yet.
        case idle
        /// It waits for a phone; `ended` says why it ended, where no phone was asked until then.
        case waiting(PresentationID, ended: PresentationFailure?)
        /// It gives up the lane's turn.
        case yielding(PresentationID)
    }

    /// What repeats the order until the daemon ends or the lane goes.
    let task: Task<Void, Never>
    var phase = Phase.idle
    /// The instant until which the result of the customer before is shown.
    private var resting: ContinuousClock.Instant?
    /// Why no phone is asked; nil if nothing keeps it from that.
    var pause: PresentationServiceError?

    init(task: Task<Void, Never>) {
        self.task = task
    }

    /// Shows a result for a time before the next phone is asked.
    mutating func rest(for time: Duration, from now: ContinuousClock.Instant) {
        resting = now + time
    }

    func isResting(at now: ContinuousClock.Instant) -> Bool { resting.map { now < $0 } ?? false }

    var waiting: PresentationID? { if case .waiting(let id, _) = phase { id } else { nil } }

    var yielding: PresentationID? { if case .yielding(let id) = phase { id } else { nil } }
}
