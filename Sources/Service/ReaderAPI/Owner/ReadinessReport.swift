internal import JSON

/// Whether presentations can be ordered, and what is wrong.
struct ReadinessReport: Sendable {
    let isReady: Bool
    let acceptsTestDocuments: Bool
    /// `{"id", "lane", "text"}`: what is wrong, and what to do.
    let faults: [JSONValue]

    var json: JSONValue {
        [
            "ready": .boolean(isReady), "acceptsTestDocuments": .boolean(acceptsTestDocuments),
            "faults": .array(faults),
        ]
    }
}
