/// One presentation as it was ordered: its plan, and where its events are reported. Use a new one for each.
///
/// Its `run` functions wait for a phone, ask it over one carrier and judge its answer: a phone at an NFC reader, one whose QR code was
/// scanned, or a holder on the bench link. Each run makes a `RunningTransaction`, which holds all that changes meanwhile. What is done
/// with a phone and needs none of that state, such as an engagement or a link, is a function of the transaction.
package struct ReaderTransaction: Sendable {
    package let plan: PresentationPlan
    let report: @Sendable (PresentationEvent) -> Void

    package init(
        _ plan: PresentationPlan, report: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) {
        self.plan = plan
        self.report = report
    }

    /// The same, whose events go to `other` too.
    package func reporting(
        to other: @escaping @Sendable (PresentationEvent) -> Void
    ) -> ReaderTransaction {
        ReaderTransaction(plan) { [report] event in
            other(event)
            report(event)
        }
    }

    /// Runs a presentation to its end.
    func run(
        _ body: (inout RunningTransaction) async throws(PresentationFailure) -> Presentation
    ) async -> Presentation {
        var running = RunningTransaction(self, now: .now)
        do throws(PresentationFailure) {
            return try await body(&running)
        } catch {
            return running.presentation(.failure(error))
        }
    }
}
