/// What a caller may do.
package enum Scope: String, CaseIterable, Sendable {
    /// Order presentations, and follow, cancel and read those that it ordered; never a portrait of a display request.
    case app
    /// What the customer's page shows of the presentation at its lane.
    case screen
    /// What the clerk's page does with the presentation at its lane: compare, decide, cancel, scan.
    case clerk
    /// Start the presets of a lane, and follow and cancel what it started; of the result the outcome alone.
    case order
    /// Have reader tokens made, for the brands and readers that are granted.
    case readerTokens
    /// What a shop's own server does for its app and its page: nothing at a lane.
    case online
    /// Figures of the service, its receipts, and all presentations without what came of them.
    case admin
}
