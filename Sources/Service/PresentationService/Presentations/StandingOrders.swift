internal import ReaderService

/// The lanes with standing orders, which begin a presentation for each phone without a caller's order: the
/// phase of each lane, the reason for a pause, and the reservations of its next turn. A turn is the right
/// to serve the next phone.
///
/// Such a lane waits for a phone in a presentation whose request was not sent to a phone yet. The wait
/// ends in one of four ways:
/// - `endWait`: a phone has begun the exchange.
/// - `fail`: the wait ended without a phone. `waitAgain` begins the next wait in the same presentation.
/// - `reserveTurn`: an order, a reload of the configuration or the end of the daemon reserves the turn.
/// - `withdraw`: no request can be sent to a phone at the lane, for example because the store is full.
///
/// `PresentationCoordinator` owns the only value and calls it on its actor. The value reads no clock and
/// starts no task.
struct StandingOrders {
    private var lanes: [String: StandingLane] = [:]
    /// The number of reservations of the right to serve each lane's next phone (its turn). Orders, a
    /// reload of the configuration and the end of the daemon make reservations.
    private var reservations: [String: Int] = [:]

    // MARK: Lanes

    var laneNames: [String] { Array(lanes.keys) }

    /// The tasks of the lanes. Each task serves one phone after the other at its lane.
    var tasks: [Task<Void, Never>] { lanes.values.map(\.task) }

    func contains(lane name: String) -> Bool { lanes[name] != nil }

    /// Adds a lane.
    ///
    /// - Parameter task: the task that serves one phone after the other, until the daemon ends or the lane
    ///   is removed.
    mutating func insert(lane name: String, task: Task<Void, Never>) {
        lanes[name] = StandingLane(task: task)
    }

    /// Removes a lane and cancels its task.
    mutating func remove(lane name: String) {
        lanes.removeValue(forKey: name)?.task.cancel()
    }

    // MARK: Turns

    /// Reserves the right to serve the lane's next phone (its turn) until `releaseTurn`.
    ///
    /// - Returns: the presentation that has to end first, or `nil` if the lane does not wait for a phone. The
    ///   caller calls `endYielding` after this end.
    mutating func reserveTurn(lane name: String) -> PresentationID? {
        reservations[name, default: 0] += 1
        // The presentation may be ending already, because of an earlier reservation. Its end is awaited in
        // this case as well.
        guard let id = lanes[name]?.waiting ?? lanes[name]?.yielding else { return nil }
        lanes[name]?.phase = .yielding(id)
        return id
    }

    /// Ends one reservation of the right to serve the lane's next phone (its turn).
    mutating func releaseTurn(lane name: String) {
        // With the last reservation the entry is removed, so that `hasTurn` can return true again.
        reservations[name] = reservations[name].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// Records that a presentation has ended, because its lane was needed for an order, a reload or the end
    /// of the daemon.
    mutating func endYielding(_ id: PresentationID, at name: String) {
        if isYielding(id, at: name) { lanes[name]?.phase = .idle }
    }

    /// Whether the presentation is ending because its lane is needed for an order, a reload or the end of the
    /// daemon.
    func isYielding(_ id: PresentationID, at name: String) -> Bool { lanes[name]?.yielding == id }

    /// Whether the lane may serve the next phone without an order: nobody has reserved that right (its
    /// turn), and the last result was shown long enough.
    func hasTurn(lane name: String, at now: ContinuousClock.Instant) -> Bool {
        guard let lane = lanes[name], reservations[name] == nil else { return false }
        return !lane.isResting(at: now)
    }

    /// Lets a result stay on the page for a time before the lane waits for the next phone.
    mutating func rest(lane name: String, for time: Duration, from now: ContinuousClock.Instant) {
        lanes[name]?.rest(for: time, from: now)
    }

    // MARK: Phases

    /// Begins to wait for a phone in a presentation.
    mutating func wait(in id: PresentationID, at name: String) {
        lanes[name]?.phase = .waiting(id, ended: nil)
    }

    /// Whether the lane waits for a phone in this presentation.
    func isWaiting(in id: PresentationID, at name: String) -> Bool { lanes[name]?.waiting == id }

    /// Whether this presentation belongs to one of the lanes and is still waiting for a phone.
    func isUnasked(_ id: PresentationID) -> Bool { lanes.values.contains { $0.waiting == id } }

    /// Ends the wait, because a phone has begun the exchange.
    mutating func endWait(at name: String) {
        lanes[name]?.phase = .idle
    }

    /// Records the reason why a wait ended without a phone.
    mutating func fail(_ failure: PresentationFailure, in id: PresentationID, at name: String) {
        lanes[name]?.phase = .waiting(id, ended: failure)
    }

    /// Begins another wait in a presentation whose wait ended without a phone.
    ///
    /// - Returns: the reason why the last wait ended; `nil` if a phone has begun the exchange, or the lane
    ///   was needed for an order, a reload or the end of the daemon.
    mutating func waitAgain(in id: PresentationID, at name: String) -> PresentationFailure? {
        // The pattern compares `id` with the waiting presentation, and binds only `failure`.
        guard case .waiting(id, ended: let failure?)? = lanes[name]?.phase else { return nil }
        wait(in: id, at: name)
        return failure
    }

    /// Ends the wait for a phone at a lane where no presentation can run at present.
    ///
    /// - Returns: the presentation whose request was not sent to a phone; `nil` if the lane does not wait.
    mutating func withdraw(at name: String) -> PresentationID? {
        guard let id = lanes[name]?.waiting else { return nil }
        lanes[name]?.phase = .idle
        return id
    }

    // MARK: Pauses

    /// The reason why the standing order of the lane is paused, or `nil` if it is not paused.
    func pause(of name: String) -> PresentationServiceError? { lanes[name]?.pause }

    /// Records the reason why the standing order of a lane is paused. `nil` means that it is no longer
    /// paused.
    ///
    /// - Returns: whether the kind of reason changed.
    mutating func recordPause(lane name: String, by problem: PresentationServiceError?) -> Bool {
        guard let before = lanes[name], before.pause != problem else { return false }
        lanes[name]?.pause = problem
        return before.pause?.name != problem?.name
    }
}

/// The state of one lane with a standing order.
struct StandingLane: Sendable {
    /// The state of the lane's own presentation before its request is sent to a phone.
    fileprivate enum Phase: Sendable {
        /// An exchange with a phone is in progress, or the next presentation has not begun.
        case idle
        /// The lane waits for a phone. `ended` is the reason why the last wait ended without one.
        case waiting(PresentationID, ended: PresentationFailure?)
        /// The presentation is ending, because somebody has reserved the right to serve the next phone.
        case yielding(PresentationID)
    }

    /// The task that serves one phone after the other, until the daemon ends or the lane is removed.
    fileprivate let task: Task<Void, Never>
    fileprivate var phase = Phase.idle
    /// The instant until which the last result is shown.
    private var resting: ContinuousClock.Instant?
    /// The reason why the standing order is paused, or `nil` if it is not paused.
    fileprivate var pause: PresentationServiceError?

    init(task: Task<Void, Never>) {
        self.task = task
    }

    /// Lets a result stay on the page for a time before the lane waits for the next phone.
    mutating func rest(for time: Duration, from now: ContinuousClock.Instant) {
        resting = now + time
    }

    func isResting(at now: ContinuousClock.Instant) -> Bool { resting.map { now < $0 } ?? false }

    fileprivate var waiting: PresentationID? { if case .waiting(let id, _) = phase { id } else { nil } }

    fileprivate var yielding: PresentationID? { if case .yielding(let id) = phase { id } else { nil } }
}
