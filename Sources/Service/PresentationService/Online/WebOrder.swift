package import JSON
internal import MdocModel
internal import ReaderStore
internal import RequestPlanner

/// The order of a web page: its origin, and the intent of the request. The store keeps the order as JSON
/// beside the nonce of the request.
package struct WebOrder: Sendable {
    let origin: String
    let plan: RequestPlan
    /// The text from which `plan` was made.
    private let intent: String

    /// The names of the members that the JSON of an order may have.
    package static let members: Set = ["origin", "intent"]

    /// Parses an order.
    ///
    /// - Throws: `orderMalformed`, or `intentRefused` for an intent that cannot be planned.
    package init(_ members: JSONTextMembers) throws(PresentationServiceError) {
        do throws(JSONFault) {
            origin = try members.required("origin").string(upTo: 300)
            intent = try members.required("intent").string(upTo: 4096)
        } catch {
            // The caller of this initialiser has refused unknown members already. The faults here are in
            // values, and a list of the permitted members would not help.
            throw .orderMalformed(error, permitted: [])
        }
        plan = try RequestPlan(ordered: RequestIntent(ordered: intent), keeping: .none)
    }

    /// The request for a wallet that presents documents to web pages. All such wallets accept extended
    /// requests.
    var draft: DeviceRequestDraft {
        get throws(PresentationServiceError) {
            guard let draft = plan.drafts(for: [.extendedRequest, .readerAuthAll]).first else {
                throw .failed
            }
            return draft
        }
    }

    /// The JSON that the store keeps beside the nonce of the request.
    package var kept: [UInt8] {
        let value: JSONValue = ["origin": .string(origin), "intent": .string(intent)]
        return value.utf8
    }
}
