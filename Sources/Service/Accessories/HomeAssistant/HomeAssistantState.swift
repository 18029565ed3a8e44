/// The state of a lane as Home Assistant shows it. The raw values are the texts of the entity.
package enum HomeAssistantState: String, CaseIterable, Sendable {
    /// The lane has no presentation, or its last presentation is over.
    case idle
    case armed, engaged, awaitingConsent, receiving, awaitingDecision
    /// The lane's standing order is paused.
    case paused

    /// The states of a presentation that is over, in the words of the HTTP API. Home Assistant shows `idle`
    /// instead: the outcome is an event, because a state that stays would be read as the state of the next
    /// customer.
    private static let overStates: Set = ["verified", "rejected", "declined", "cancelled", "failed"]

    /// Reads a lane's state in the words of the HTTP API. `nil` for an unknown word.
    package init?(apiState: String) {
        if let state = HomeAssistantState(rawValue: apiState) {
            self = state
        } else if Self.overStates.contains(apiState) {
            self = .idle
        } else {
            return nil
        }
    }
}
