/// A presentation with one phone: its plan, and the function that receives its events. Use another
/// transaction for each presentation.
///
/// A lane (`LaneRun`), the command line and the library make a transaction and call one of its `run`
/// functions:
/// - `run(at:radio:)` waits for taps at an NFC reader and retrieves the answer over Bluetooth or NFC;
/// - `run(at:scanned:)` waits for the tap of the phone whose QR code was scanned, and uses NFC;
/// - `run(scanned:radio:)` connects over Bluetooth to the phone whose QR code was scanned;
/// - `run(over:)` uses the bench link, a TCP connection to a software wallet.
///
/// Each run goes through the same phases: a phone is engaged (ISO/IEC 18013-5, 8.2), the requests are sent
/// over a `SessionCarrier`, the answer of the phone is judged, and the phone is notified of the end. A `run`
/// function throws nothing, because every failure is part of the `Presentation` that it returns. The function
/// returns when the outcome may be shown, which may be before the phone was notified (Q76).
///
/// The transaction itself never changes. All state that changes is in the `RunningTransaction` that a run
/// makes. Steps that need none of that state, such as an engagement or a link, are functions of the
/// transaction.
///
/// A run stays in the task of its caller; cancelling that task ends the presentation and notifies the phone.
/// A transaction stores nothing and does not decide what the answer means for a sale: see `TransactionReport`
/// and `Conclusion`.
package struct ReaderTransaction: Sendable {
    package let plan: PresentationPlan
    let report: @Sendable (PresentationEvent) -> Void

    package init(
        _ plan: PresentationPlan, report: @escaping @Sendable (PresentationEvent) -> Void = { _ in }
    ) {
        self.plan = plan
        self.report = report
    }

    /// Returns a transaction with the same plan that reports each event to `other` as well.
    package func reporting(
        to other: @escaping @Sendable (PresentationEvent) -> Void
    ) -> ReaderTransaction {
        ReaderTransaction(plan) { [report] event in
            other(event)
            report(event)
        }
    }

    /// Runs `body` with new state, and turns a failure that `body` throws into a result.
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
