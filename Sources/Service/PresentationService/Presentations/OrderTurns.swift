/// The queue of the orders that are to begin. Orders begin one after the other. Each caller may begin a
/// limited number of orders within an hour. No order begins once the daemon is ending.
struct OrderTurns {
    private var limit: OrderLimit
    /// A task that ends when the last order in the queue has begun or was refused.
    private var last: Task<Void, Never>?
    /// Whether the daemon is ending. If it is, no presentation begins.
    private(set) var isEnding = false

    init(ordersPerHour: Int) {
        limit = OrderLimit(most: ordersPerHour)
    }

    /// Checks that the caller may begin another presentation.
    ///
    /// - Throws: `tooManyOrders` if the caller has reached its limit.
    mutating func check(_ caller: String) throws(PresentationServiceError) { try limit.check(caller) }

    /// Counts a presentation of the caller that has begun.
    mutating func count(_ caller: String) { limit.count(caller) }

    /// Starts a task that runs `body` as soon as each earlier order has begun or has been refused.
    mutating func next<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(PresentationServiceError) -> Value
    ) -> Task<Result<Value, PresentationServiceError>, Never> {
        let before = last
        let turn = Task { () async -> Result<Value, PresentationServiceError> in
            await before?.value
            do throws(PresentationServiceError) { return .success(try await body()) } catch {
                return .failure(error)
            }
        }
        // The next order only waits for this task. The result is dropped, because the results of orders have
        // different types.
        last = Task { _ = await turn.value }
        return turn
    }

    /// Records that the daemon is ending.
    mutating func end() { isEnding = true }
}

/// The limit of presentations that each caller may begin within an hour. Each order occupies a lane, writes
/// to the store and may need a signature. A till does not need more orders than the limit.
struct OrderLimit {
    private static let window = Duration.seconds(3600)

    private let most: Int
    /// The times at which each caller began presentations within the last hour, earliest first.
    private var begun: [String: [ContinuousClock.Instant]] = [:]

    init(most: Int) {
        self.most = most
    }

    /// Checks that the caller may begin another presentation.
    ///
    /// - Throws: `tooManyOrders` if the caller has reached its limit.
    mutating func check(_ caller: String, at now: ContinuousClock.Instant = .now)
        throws(PresentationServiceError)
    {
        forget(caller, before: now - Self.window)
        guard let times = begun[caller], times.count >= most, let first = times.first else { return }
        let seconds = (first + Self.window - now).components.seconds
        // Rounded up, so that an order after this time is accepted.
        throw .tooManyOrders(limit: most, retryAfter: max(1, seconds + 1))
    }

    /// Counts a presentation that has begun.
    mutating func count(_ caller: String, at now: ContinuousClock.Instant = .now) {
        begun[caller, default: []].append(now)
    }

    /// Removes the times before `time` at which the caller began presentations.
    private mutating func forget(_ caller: String, before time: ContinuousClock.Instant) {
        guard let times = begun[caller] else { return }
        let rest = times.drop { $0 <= time }
        begun[caller] = rest.isEmpty ? nil : Array(rest)
    }
}
