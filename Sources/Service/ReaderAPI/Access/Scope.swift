/// What a caller may do.
package enum Scope: String, CaseIterable, Sendable {
    /// Order presentations and have their answers; never a portrait of a display request.
    case app
    /// What the page of a counter does: show, decide, cancel, scan.
    case display
    /// Figures of the service.
    case admin
}
