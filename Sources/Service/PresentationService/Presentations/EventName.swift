/// What happened, as an event is named. An event is sent once for each time that it happens.
package enum EventName: String, CaseIterable, Sendable {
    /// The presentation came to this state.
    case armed, engaged, awaitingConsent, receiving, awaitingDecision
    /// The state stays, and what people should know has changed: `hint`.
    case hintChanged
    /// It has its outcome. Once for each presentation.
    case ended
    /// A display request's result was closed, or personal data was deleted at its deadline.
    case wiped
    /// A receipt that could not be written before the end was written.
    case receiptWritten
    /// The lane, its reader or its adapter changed.
    case laneChanged
    /// An order was refused, since the lane is busy.
    case orderRefused
}

extension EventName {
    /// What happened last to a presentation in this state. Nil if it is over and has no outcome yet.
    init?(entering state: PresentationState) {
        switch state {
        case .armed: self = .armed
        case .engaged: self = .engaged
        case .awaitingConsent: self = .awaitingConsent
        case .receiving: self = .receiving
        case .awaitingDecision: self = .awaitingDecision
        case .verified, .rejected, .declined, .cancelled, .failed: return nil
        }
    }
}
