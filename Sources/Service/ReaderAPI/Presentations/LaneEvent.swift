/// One event as it goes to those who listen: written once, whoever and however many they are.
struct LaneEvent: Sendable {
    /// Its place among all events of this run of the daemon.
    let number: Int
    let presentation: PresentationID?
    /// The frame of the event stream, with `id:`, `event:` and `data:`.
    let frame: String
}
