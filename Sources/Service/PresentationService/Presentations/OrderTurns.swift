/// The turns of orders: one order after the other, so many of each caller within an hour, and none once the daemon ends.
struct OrderTurns {
    private var limit: OrderLimit
    /// A task that ends when the order with the last turn was written and begun, or refused.
    private var last: Task<Void, Never>?
    /// Whether the daemon ends, so that no presentation begins any more.
    private(set) var isEnding = false

    init(ordersPerHour: Int) {
        limit = OrderLimit(most: ordersPerHour)
    }

    /// - Throws: `tooManyOrders` if the caller has begun as many presentations as it may.
    mutating func check(_ caller: String) throws(PresentationServiceError) { try limit.check(caller) }

    /// Counts a presentation that has begun.
    mutating func count(_ caller: String) { limit.count(caller) }

    /// Runs `body` once the orders with earlier turns have ended.
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
        last = Task { _ = await turn.value }
        return turn
    }

    mutating func end() { isEnding = true }
}

/// How many presentations each caller begins within an hour, `most` at most: an order costs a wait at a lane, places in the store and
/// signatures, and a till does not need more.
struct OrderLimit {
    private static let window = Duration.seconds(3600)

    private let most: Int
    /// When each caller began its presentations of the last hour, from the first to the last.
    private var begun: [String: [ContinuousClock.Instant]] = [:]

    init(most: Int) {
        self.most = most
    }

    /// - Throws: `tooManyOrders` if the caller has begun as many as it may.
    mutating func check(_ caller: String, at now: ContinuousClock.Instant = .now)
        throws(PresentationServiceError)
    {
        forget(caller, before: now - Self.window)
        guard let times = begun[caller], times.count >= most, let first = times.first else { return }
        let seconds = (first + Self.window - now).components.seconds
        throw .tooManyOrders(limit: most, retryAfter: max(1, seconds + 1))
    }

    /// Counts a presentation that has begun.
    mutating func count(_ caller: String, at now: ContinuousClock.Instant = .now) {
        begun[caller, default: []].append(now)
    }

    private mutating func forget(_ caller: String, before time: ContinuousClock.Instant) {
        guard let times = begun[caller] else { return }
        let rest = times.drop { $0 <= time }
        begun[caller] = rest.isEmpty ? nil : Array(rest)
    }
}
