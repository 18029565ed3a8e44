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
