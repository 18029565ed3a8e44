/// What a caller may do.
package enum Scope: String, CaseIterable, Sendable {
    /// Order presentations and have their answers; never a portrait of a display request.
    case app
    /// What the page of a counter does: show, decide, cancel, scan.
    case display
    /// Have reader tokens made, for the brands and readers that are granted.
    case readerTokens
    /// What a shop's own server does for its app and its page: nothing at a lane.
    case online
    /// Figures of the service.
    case admin
}
