internal import JSON
internal import ReaderStore
internal import RequestPlanner

/// What an order asks for next, in the same session: elements, once everything before was verified and answered yes.
struct FurtherOrder: Equatable, Sendable {
    let intent: RequestIntent
    let retention: RetentionProfile

    init(_ text: JSONText) throws(PresentationServiceError) {
        let words: String
        do throws(JSONFault) {
            let members = try text.members(["intent", "retention"])
            words = try members.required("intent").string(upTo: PresentationOrder.longestIntent)
            retention = try members["retention"].map(RetentionProfile.init) ?? .none
        } catch {
            throw .orderMalformed(error, permitted: [])
        }
        intent = try RequestIntent(ordered: words, in: .further)
    }
}
