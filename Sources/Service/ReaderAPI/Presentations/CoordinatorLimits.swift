/// How much the counter holds, and for how long.
package struct CoordinatorLimits: Equatable, Sendable {
    /// How many presentations are remembered; the oldest that are over go first.
    package var presentations = 1000
    /// How many may listen to events at once, over all lanes.
    package var listeners = 256
    /// For how long a portrait or a name is shown where nobody decides.
    package var shown = Duration.seconds(120)
    /// For how long the documents of a data request can be fetched.
    package var documents = Duration.seconds(600)

    package init() {}
}
