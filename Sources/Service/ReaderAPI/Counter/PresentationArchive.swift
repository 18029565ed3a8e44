package import ReaderReports
package import RequestPlanner

/// What keeps of presentations what their retention says. Without one nothing is kept, and no order may ask for it.
package protocol PresentationArchive: Sendable {
    /// Writes the receipt of an ended presentation, and what is retained of its answer; the receipt's id.
    func keep(_ presentation: EndedPresentation) async throws(APIProblem) -> String
}

/// A presentation that came to its end, for those who keep something of it.
package struct EndedPresentation: Sendable {
    package let id: PresentationID
    package let lane: String
    package let reference: String?
    /// Which of the persons of that reference, from 1.
    package let holder: Int?
    package let retention: String
    package let state: PresentationState
    /// What was asked, and what of it the holder was told would be kept.
    package let plan: RequestPlan
    package let report: TransactionReport
}
