/// What a caller may do.
package enum Scope: String, CaseIterable, Sendable {
    /// Order presentations and have their answers; never a portrait of a display request.
    case app
    /// What the page of a counter does: show, decide, cancel, scan.
    case display
    /// Have reader tokens made, for the brands and readers that are granted.
    case readerTokens
    /// Figures of the service.
    case admin
}
