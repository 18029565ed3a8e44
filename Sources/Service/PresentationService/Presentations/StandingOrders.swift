internal import ReaderService

/// The lanes that ask by themselves: the phase of each, and who takes its next turn.
///
/// Such a lane waits for a phone in a presentation in which nobody was asked yet. From there it leads on in one of four ways: a phone
/// is there (`endWait`), the wait ends without a phone (`fail`) and begins again (`waitAgain`), somebody takes the turn (`hold`), or
/// something is missing (`withdraw`).
struct StandingOrders {
    private var lanes: [String: StandingLane] = [:]
    /// The number of those who take the next turn of each lane from its standing order: tills, a reload, the end of the daemon.
    private var holds: [String: Int] = [:]

    // MARK: Lanes

    var laneNames: [String] { Array(lanes.keys) }

    /// The tasks that repeat the orders.
    var tasks: [Task<Void, Never>] { lanes.values.map(\.task) }

    func contains(lane name: String) -> Bool { lanes[name] != nil }

    /// - Parameter task: the task that repeats the order until the daemon ends or the lane is removed.
    mutating func insert(lane name: String, task: Task<Void, Never>) {
        lanes[name] = StandingLane(task: task)
    }

    mutating func remove(lane name: String) {
        lanes.removeValue(forKey: name)?.task.cancel()
    }

    // MARK: Turns

    /// Takes the lane's next turn, until `release`.
    ///
    /// - Returns: the presentation that has to end first, for which `endYielding` is called later; nil if the lane does not
    ///   wait for a phone.
    mutating func hold(lane name: String) -> PresentationID? {
        holds[name, default: 0] += 1
        guard let id = lanes[name]?.waiting ?? lanes[name]?.yielding else { return nil }
        lanes[name]?.phase = .yielding(id)
        return id
    }

    mutating func release(lane name: String) {
        holds[name] = holds[name].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    mutating func endYielding(_ id: PresentationID, at name: String) {
        if isYielding(id, at: name) { lanes[name]?.phase = .idle }
    }

    func isYielding(_ id: PresentationID, at name: String) -> Bool { lanes[name]?.yielding == id }

    /// Whether the lane asks by itself, nobody takes its turn, and the result before was shown.
    func hasTurn(lane name: String, at now: ContinuousClock.Instant) -> Bool {
        guard let lane = lanes[name], holds[name] == nil else { return false }
        return !lane.isResting(at: now)
    }

    /// Shows a result for a time before the next phone is asked.
    mutating func rest(lane name: String, for time: Duration, from now: ContinuousClock.Instant) {
        lanes[name]?.rest(for: time, from: now)
    }

    // MARK: Phases

    /// Waits for a phone in a presentation.
    mutating func wait(in id: PresentationID, at name: String) {
        lanes[name]?.phase = .waiting(id, ended: nil)
    }

    func isWaiting(in id: PresentationID, at name: String) -> Bool { lanes[name]?.waiting == id }

    /// Whether no phone was asked yet in a presentation of any lane.
    func isUnasked(_ id: PresentationID) -> Bool { lanes.values.contains { $0.waiting == id } }

    /// Ends the wait, since a phone is there.
    mutating func endWait(at name: String) {
        lanes[name]?.phase = .idle
    }

    /// Records why a wait ended without a phone.
    mutating func fail(_ failure: PresentationFailure, in id: PresentationID, at name: String) {
        lanes[name]?.phase = .waiting(id, ended: failure)
    }

    /// Waits once more in a presentation whose wait ended without a phone.
    ///
    /// - Returns: why the wait ended; nil if a phone was asked or the lane gave up its turn.
    mutating func waitAgain(in id: PresentationID, at name: String) -> PresentationFailure? {
        guard case .waiting(id, ended: let failure?)? = lanes[name]?.phase else { return nil }
        wait(in: id, at: name)
        return failure
    }

    /// Ends the wait of a lane, since something is missing.
    ///
    /// - Returns: the presentation in which nobody was asked; nil if the lane does not wait.
    mutating func withdraw(at name: String) -> PresentationID? {
        guard let id = lanes[name]?.waiting else { return nil }
        lanes[name]?.phase = .idle
        return id
    }

    // MARK: Pauses

    /// The reason why a lane does not ask; nil if it asks.
    func pause(of name: String) -> PresentationServiceError? { lanes[name]?.pause }

    /// Records why a lane does not ask, or with nil that it asks again.
    ///
    /// - Returns: whether the reason is of another kind than before.
    mutating func pause(lane name: String, by problem: PresentationServiceError?) -> Bool {
        guard let before = lanes[name], before.pause != problem else { return false }
        lanes[name]?.pause = problem
        return before.pause?.name != problem?.name
    }
}

/// The progress of a lane that asks by itself.
struct StandingLane: Sendable {
    /// What becomes of the lane's own presentation before a phone is asked.
    fileprivate enum Phase: Sendable {
        /// A phone is asked, or the next presentation is not armed yet.
        case idle
        /// It waits for a phone; `ended` says why it ended, where no phone was asked until then.
        case waiting(PresentationID, ended: PresentationFailure?)
        /// It gives up the lane's turn.
        case yielding(PresentationID)
    }

    /// The task that repeats the order until the daemon ends or the lane is removed.
    fileprivate let task: Task<Void, Never>
    fileprivate var phase = Phase.idle
    /// The instant until which the result of the customer before is shown.
    private var resting: ContinuousClock.Instant?
    /// The reason why no phone is asked; nil if there is none.
    fileprivate var pause: PresentationServiceError?

    init(task: Task<Void, Never>) {
        self.task = task
    }

    /// Shows a result for a time before the next phone is asked.
    mutating func rest(for time: Duration, from now: ContinuousClock.Instant) {
        resting = now + time
    }

    func isResting(at now: ContinuousClock.Instant) -> Bool { resting.map { now < $0 } ?? false }

    fileprivate var waiting: PresentationID? { if case .waiting(let id, _) = phase { id } else { nil } }

    fileprivate var yielding: PresentationID? { if case .yielding(let id) = phase { id } else { nil } }
}
