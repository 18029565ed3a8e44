/// The caller's own name for a presentation: the same again is the same presentation.
struct OrderReference: Hashable, Sendable {
    let name: String
    /// Which of the persons that belong to one name: the drivers of one contract.
    let holder: Int
}
