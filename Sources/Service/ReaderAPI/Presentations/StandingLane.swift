internal import ReaderService

/// How far a lane is that asks by itself.
struct StandingLane: Sendable {
    /// What repeats the order until the daemon ends or the lane goes.
    var task: Task<Void, Never>?
    /// The presentation in which no phone was asked yet.
    var waiting: PresentationID?
    /// How that ended, where it ended before a phone was asked.
    var unasked: Presentation.Outcome?
    /// The presentation that gives up the lane's turn.
    var yielding: PresentationID?
    /// Until when the result of the customer before is shown.
    var resting: ContinuousClock.Instant?
    /// Why no phone is asked; nil where nothing keeps it from that.
    var pause: APIProblem?
}
