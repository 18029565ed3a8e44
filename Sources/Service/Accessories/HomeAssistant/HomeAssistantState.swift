/// The state of a lane as Home Assistant shows it. The raw values are the texts of the entity.
package enum HomeAssistantState: String, CaseIterable, Sendable {
    /// The lane has no presentation, or its last presentation is over.
    case idle
    case armed, engaged, awaitingConsent, receiving, awaitingDecision
    /// The lane's standing order is paused, and no presentation is running.
    case paused

    /// The states of a presentation that is over, in the words of the HTTP API. Home Assistant shows `idle`
    /// instead: the outcome is an event, because a state that stays would be read as the state of the next
    /// customer.
    private static let overStates: Set = ["verified", "rejected", "declined", "cancelled", "failed"]

    /// Reads a lane's state in the words of the HTTP API. `nil` for an unknown word.
    ///
    /// - Parameter isPaused: Whether the lane's standing order is paused. A till can order a presentation at such
    ///   a lane all the same, and the state is then that of the presentation.
    package init?(apiState: String, isPaused: Bool = false) {
        if Self.overStates.contains(apiState) || apiState == HomeAssistantState.idle.rawValue {
            self = isPaused ? .paused : .idle
        } else if let state = HomeAssistantState(rawValue: apiState), state != .paused {
            self = state
        } else {
            return nil
        }
    }
}
