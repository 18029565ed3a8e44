internal import JSON

/// Whether presentations can be ordered, and what is wrong.
struct ReadinessReport: Sendable {
    let isReady: Bool
    let acceptsTestDocuments: Bool
    let faults: [Fault]

    /// What is wrong, and what to do.
    struct Fault: Sendable {
        let id: String
        /// The lane at which it is wrong; nil if it is so for all.
        var lane: String?
        let text: String

        var json: JSONValue {
            .object(
                [("id", .string(id))] + (lane.map { [("lane", .string($0))] } ?? [])
                    + [("text", .string(text))])
        }
    }

    var json: JSONValue {
        [
            "ready": .boolean(isReady), "acceptsTestDocuments": .boolean(acceptsTestDocuments),
            "faults": .array(faults.map(\.json)),
        ]
    }
}
