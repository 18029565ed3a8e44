/// The events of one presentation, in order; `ended` comes once and last.
package enum LaneMoment: Sendable {
    case event(PresentationEvent)
    case ended(Presentation)
}
