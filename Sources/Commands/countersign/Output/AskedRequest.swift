internal import MdocModel
internal import ReaderService
internal import RequestPlanner

/// What a transaction asked, and in whose name.
struct AskedRequest: Sendable {
    /// What was wanted to be known, and what is kept of it.
    let plan: RequestPlan
    /// The request that went out last; nil where none did.
    let sent: SessionRequest?

    var json: JSONValue {
        [
            "intent": .string(plan.intent.description),
            "keep": .string(KeepArgument(plan.retention).rawValue),
            "docTypes": .array((sent?.documents ?? []).map { .string($0.docType) }),
            "identity": JSONValue(sent?.identity),
            "readerAuthentication": JSONValue(sent?.readerAuthentication.rawValue),
        ]
    }

    /// For a person, where something was asked.
    var lines: [String] {
        guard let sent else { return [] }
        let name = Terminal.safe(sent.identity ?? "", limit: 80)
        let asked =
            switch sent.readerAuthentication {
            case .none: "without saying who asks"
            case .documents: "as \(name), document by document"
            case .all: "as \(name), in one signature"
            }
        return ["  asked \(asked)"]
    }
}
