package import JSON
internal import MdocModel
package import ReaderService
package import RequestPlanner

/// What a transaction asked, and in whose name.
package struct AskedRequest: Sendable {
    /// What was wanted to be known, and what is kept of it.
    package let plan: RequestPlan
    /// The request that went out last; nil where none did.
    package let sent: SessionRequest?

    package var json: JSONValue {
        [
            "intent": .string(plan.intent.description),
            "keep": .string(plan.retention.word),
            "docTypes": .array((sent?.documents ?? []).map { .string($0.docType) }),
            "identity": JSONValue(sent?.identity),
            "readerAuthentication": JSONValue(sent?.readerAuthentication.rawValue),
        ]
    }
}
