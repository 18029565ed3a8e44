internal import ErrorMapping
internal import ReaderStore
internal import RequestPlanner

extension RequestIntent {
    /// The intent that an order has in words.
    init(
        ordered words: String, in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestIntent(parsing: words)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}

extension RequestPlan {
    /// The smallest request that answers an ordered intent.
    init(
        ordered intent: RequestIntent, keeping retention: RetentionProfile,
        in part: PresentationServiceError.OrderPart = .first
    ) throws(PresentationServiceError) {
        self = try mapping(RequestPlan(intent, keeping: retention.choice)) { (error: RequestPlannerError) in
            PresentationServiceError.intentRefused(error, in: part)
        }
    }
}
