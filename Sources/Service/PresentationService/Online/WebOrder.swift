package import JSON
internal import MdocModel
internal import ReaderStore
internal import RequestPlanner

/// What a page asks for: an order without its session. It is kept beside the nonce in the same
/// form.
package struct WebOrder: Sendable {
    let origin: String
    let plan: RequestPlan
    private let intent: String

    package static let members: Set = ["origin", "intent"]

    package init(_ members: JSONTextMembers) throws(PresentationServiceError) {
        do throws(JSONFault) {
            origin = try members.required("origin").string(upTo: 300)
            intent = try members.required("intent").string(upTo: 4096)
        } catch {
            throw .orderMalformed(error, permitted: [])
        }
        plan = try RequestPlan(ordered: RequestIntent(ordered: intent), keeping: .none)
    }

    /// The request for a wallet of the web: each of them reads extended requests.
    var draft: DeviceRequestDraft {
        get throws(PresentationServiceError) {
            guard let draft = plan.drafts(for: [.extendedRequest, .readerAuthAll]).first else {
                throw .failed
            }
            return draft
        }
    }

    package var kept: [UInt8] {
        let value: JSONValue = ["origin": .string(origin), "intent": .string(intent)]
        return value.utf8
    }
}
