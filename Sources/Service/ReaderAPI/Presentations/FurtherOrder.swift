internal import ErrorMapping
internal import JSON
internal import ReaderStore
internal import RequestPlanner

/// What an order asks for next, in the same session: elements, once everything before was verified and answered yes.
struct FurtherOrder: Equatable, Sendable {
    let intent: RequestIntent
    let retention: RetentionProfile

    init(_ text: JSONText) throws(APIProblem) {
        let words: String
        do throws(JSONFault) {
            let members = try text.members(["intent", "retention"])
            words = try members.required("intent").string(upTo: PresentationOrder.longestIntent)
            retention = try members["retention"].map(RetentionProfile.init) ?? .none
        } catch {
            throw APIProblem(body: error)
        }
        intent = try RequestIntent(ordered: words, as: "/then/intent")
    }
}

extension RequestIntent {
    /// - Parameter pointer: the member of the body that it is.
    init(ordered words: String, as pointer: String = "/intent") throws(APIProblem) {
        self = try mapping(RequestIntent(parsing: words)) { (error: RequestPlannerError) in
            APIProblem(error).at(pointer)
        }
    }
}

extension RequestPlan {
    /// The least that answers, or why it is not asked.
    init(ordered intent: RequestIntent, keeping retention: RetentionProfile, as pointer: String = "/intent")
        throws(APIProblem)
    {
        self = try mapping(RequestPlan(intent, keeping: retention.choice)) { (error: RequestPlannerError) in
            APIProblem(error).at(pointer)
        }
    }
}
