internal import MdocVerification
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService
package import ReaderStore
internal import Reports
internal import RequestPlanner

/// A presentation in the daemon's memory: its order, its progress and its result.
///
/// `PresentationCoordinator.prepare` makes a record from an order, before any phone is there. From then on
/// only `PresentationBook` changes it. It replaces `phase`, and sets a few flags such as `isAskedAgain`. The
/// phases are:
/// - `running`: the lane waits for a phone, or an exchange with a phone is in progress.
/// - `cancelling`: the presentation was cancelled, and its phone is being notified.
/// - `recording`: the result is known, and its receipts and retained data are being written. Meanwhile
///   callers see the earlier state.
/// - `awaitingDecision`: the response was verified, and a person has to decide.
/// - `over`: the outcome is final. Personal data may still be removed from the record.
///
/// `state` and `hint` are what pages show. `conclusion` is the outcome, or `nil` until the outcome is
/// decided.
///
/// The record of a data request contains elements until `CoordinatorLimits.documents` has passed. The record
/// of a display request never contains elements of its response: the portrait and the name for the clerk are
/// in `Completion.shown`. The elements of a second request (`then`) stay in memory for
/// `CoordinatorLimits.documents` too. `json(for:)` selects the members that a caller may see.
package struct PresentationRecord: Sendable {
    package typealias Decision = ReceiptStatement.Decision

    /// The second request of the same session.
    struct Further: Sendable {
        let order: FurtherOrder
        let plan: RequestPlan
    }

    /// The progress of a presentation, with its result once there is one.
    enum Phase: Sendable {
        /// The lane waits for a phone, or an exchange with a phone is in progress.
        case running(PresentationState, hint: PresentationHint?)
        /// The presentation was cancelled, and its phone is being notified.
        case cancelling
        /// The presentation was judged or decided, and its receipts and retained data are being written.
        /// Meanwhile callers see the earlier state, `before`.
        case recording(Completion, before: PresentationState)
        /// The response was verified, and a person has to decide.
        case awaitingDecision(Completion)
        /// The outcome is final.
        case over(Completion)
    }

    /// The result of a presentation.
    struct Completion: Sendable {
        /// The final state, which follows from the phone's response or the cancellation.
        let state: PresentationState
        /// The time at which the response was judged or the presentation was cancelled.
        let ended: Timestamp
        /// The facts from which the outcome is computed, with the person's decision.
        var evidence: Conclusion.Evidence
        /// The report on the first request, or `nil` if the presentation was cancelled before it had a
        /// result. Contains elements only for a data request, until they are removed.
        var report: TransactionReport?
        /// The report on the second request, or `nil` if that request was not sent.
        var further: TransactionReport?
        /// The name and portrait that a clerk's page shows, until the decision or the deadline.
        var shown: ShownPerson?
        var hint: PresentationHint?
        var receipt = Receipt.none
        /// The time until which data from the first request is retained, or `nil` if nothing is retained.
        var retainedUntil: Timestamp?
        /// The id of the receipt of the second request.
        var furtherReceipt: String?
        /// The time until which data from the second request is retained, or `nil` if nothing is retained.
        var furtherRetainedUntil: Timestamp?
        /// The data to retain if a person approves.
        var retaining = WaitingRetention()
        /// Whether the portrait of a data request was handed out.
        var isPortraitTaken = false
    }

    /// A hint about a scanned code that the pages show for a moment.
    struct CodeHint: Equatable, Sendable {
        /// The number of the hint among all of its book, which tells the hint apart from a later one.
        let number: Int
        /// The hint that is shown again afterwards.
        let before: PresentationHint?
    }

    /// The receipt of the first request.
    enum Receipt: Sendable {
        /// The order asks for no receipt.
        case none
        /// The receipts are not final until a person decides.
        case waiting(WaitingReceipts)
        /// The receipt was written, with this id.
        case written(String)
        /// The store refused the receipt.
        case failed
    }

    package let id: PresentationID
    /// The name of the caller who ordered the presentation and to whom it belongs.
    package let owner: String
    package let order: PresentationOrder
    let plan: RequestPlan
    let further: Further?
    package let lane: String
    let created: Timestamp
    package let brand: PreparedBrand?
    /// The trust and policy used to verify the response.
    let basis: JudgingBasis
    /// The maximum time in which the holder decides.
    var consentLimit = PresentationDeadlines().consent
    /// The earlier presentation whose order this presentation repeats, or `nil` for a new order.
    var repeated: RepeatedPresentation?
    /// Whether a later presentation repeats the order of this one.
    var isAskedAgain = false
    /// The end of the last wait for the holder or for a person's decision; `deadline` returns this time
    /// during the wait.
    var waitEnd: Timestamp?
    /// The hint about a scanned code that the pages show, or `nil` if they show none.
    var codeHint: CodeHint?
    var phase = Phase.running(.armed, hint: .openYourID)

    package var state: PresentationState {
        switch phase {
        case .running(let state, _), .recording(_, let state): state
        case .cancelling: .cancelled
        case .awaitingDecision: .awaitingDecision
        case .over(let completion): completion.state
        }
    }

    /// Whether the lane waits for a phone.
    var isArmed: Bool { if case .running(.armed, _) = phase { true } else { false } }

    var hint: PresentationHint? {
        switch phase {
        case .running(_, let hint): hint
        case .cancelling, .recording: nil
        case .awaitingDecision(let completion), .over(let completion): completion.hint
        }
    }

    /// The result, or `nil` until it is known and written.
    var completion: Completion? {
        switch phase {
        case .running, .cancelling, .recording: nil
        case .awaitingDecision(let completion), .over(let completion): completion
        }
    }

    /// The time until which the daemon waits for the holder's consent or for a person's decision, or `nil` if
    /// it waits for neither.
    var deadline: Timestamp? {
        switch phase {
        case .running(.awaitingConsent, _), .awaitingDecision: waitEnd
        case .running, .cancelling, .recording, .over: nil
        }
    }

    /// Whether a clerk may repeat the order of this presentation, which has to be over. An `allow` or `deny`
    /// may be repeated only if a person decided or a needed element is missing. Every other outcome may be
    /// repeated.
    var isRepeatable: Bool {
        guard let conclusion else { return false }
        switch conclusion.outcome {
        case .unclear, .declined, .cancelled, .failed: return true
        case .allow, .deny: return completion?.decision != nil || hasMissingElements
        }
    }

    /// Whether a report names needed elements that the phone did not return.
    var hasMissingElements: Bool {
        [completion?.report, completion?.further].contains { $0?.missing.isEmpty == false }
    }

    /// The outcome and its reasons, or `nil` until the outcome is decided and written.
    var conclusion: Conclusion? {
        if case .over(let completion) = phase { completion.evidence.conclusion } else { nil }
    }

    /// Whether a preset of the desk began the presentation.
    var isOfDesk: Bool { order.presetBrand != nil }

    /// Whether the record may be removed if there are too many presentations in memory.
    var isForgettable: Bool { if case .over = phase { true } else { false } }

    /// Whether a person has to decide, because the order demands a confirmation, or because a display request
    /// asks for a portrait. Only a person can compare a portrait.
    var asksPerson: Bool { order.validation == .confirm || (order.kind == .display && plan.needsPortrait) }

    /// Stores the result, and enters `over` or `awaitingDecision`.
    mutating func setResult(_ completion: Completion) {
        phase = completion.evidence.conclusion == nil ? .awaitingDecision(completion) : .over(completion)
    }

    /// A copy of this record after its pending receipts were written; `nil` while no decision has been made.
    func decided(_ written: WrittenReceipts) -> PresentationRecord? {
        guard case .recording(var completion, .awaitingDecision) = phase else { return nil }
        if case .waiting(let receipts) = completion.receipt {
            // If no receipt of the first request was held, the order wants no receipt for that request.
            // Without this test a missing id would count as `failed`. The receipt of the second request has
            // no state `failed`: it is only an id.
            completion.receipt = receipts.first == nil ? .none : .ended(written.first)
            completion.furtherReceipt = written.further
        }
        var record = self
        record.setResult(completion)
        return record
    }

    /// A copy of this record with its result, after its receipts and data were written.
    func ended(_ completion: Completion, _ kept: PresentationBook.Kept) -> PresentationRecord {
        var completion = completion
        completion.add(kept)
        var record = self
        record.setResult(completion)
        return record
    }

    /// A copy of this record with the outcome that applies if the daemon ends before the presentation.
    var interrupted: PresentationRecord {
        let evidence = Conclusion.Evidence.restarted
        var record = self
        // The end time is not known yet: `endPresentations` of the store sets it at the next start.
        record.phase = .over(Completion(state: .failed, ended: created, evidence: evidence))
        return record
    }

    /// The reference under which data is retained: the order's reference, or the presentation's id if the
    /// order has no reference. Several persons of one contract may share a reference.
    var retentionReference: String {
        (order.reference ?? order.repeatedReference)?.name ?? id.description
    }

    /// The owner of the retained data: the caller who ordered the presentation. If a preset of the desk began
    /// the presentation, the data belongs to this caller at this lane only.
    var retentionOwner: RetentionOwner {
        isOfDesk ? RetentionOwner(owner, atDesk: lane) : RetentionOwner(owner)
    }
}

/// An earlier presentation whose order a clerk or a desk repeats.
package struct RepeatedPresentation: Hashable, Sendable {
    let id: PresentationID
    /// The id of the earlier presentation's receipt, or `nil` if it has none.
    let receipt: String?
}

extension PresentationRecord.Receipt {
    /// A receipt with the id that the store gave it, or `failed` if the store wrote no receipt.
    static func ended(_ id: String?) -> PresentationRecord.Receipt { id.map { .written($0) } ?? .failed }

    var id: String? { if case .written(let id) = self { id } else { nil } }
}

extension PresentationRecord.Completion {
    /// Creates the result of a presentation that has just ended.
    ///
    /// - Parameters:
    ///   - isInterrupted: whether the daemon is ending, which is then the cause of a cancellation.
    ///   - shown: the name and portrait for the clerk; used only if the outcome may be `allow`, since
    ///     otherwise nobody compares.
    init(
        _ report: TransactionReport, then further: TransactionReport?, shown: ShownPerson?,
        of record: PresentationRecord, isInterrupted: Bool, at now: Timestamp
    ) {
        let isCancelled = record.state == .cancelled
        let first = PresentationState(report)
        ended = now
        if isCancelled {
            state = isInterrupted ? .failed : .cancelled
            evidence = isInterrupted ? .restarted : .cancelled
        } else {
            state = further.map { PresentationState($0) } ?? first
            evidence = Conclusion.Evidence(further ?? report, asksPerson: record.asksPerson)
            // This evidence comes from the second report only. If the portrait of the first response could
            // not be decoded, an answer of the first report is unknown, and is added here.
            if further != nil, report.hasUnknownAnswer { evidence = evidence.withUnknownAnswer }
        }
        // A response that arrived while the presentation was being cancelled is not reported.
        guard !isCancelled || first == .cancelled else { return }
        // The elements of a display request are removed from memory here. The answers are computed already,
        // and no caller may read the elements.
        let holdsElements = record.order.kind == .data && first == .verified
        self.report = holdsElements ? report : report.withoutElements
        self.further = further.map { PresentationState($0) == .verified ? $0 : $0.withoutElements }
        let isDenied = evidence.conclusion.map { $0.outcome != .allow } ?? false
        if record.order.kind == .display, !isDenied { self.shown = shown }
    }

    /// Adds the receipts and the deadlines of retained data.
    mutating func add(_ kept: PresentationBook.Kept) {
        receipt = kept.receipt
        retainedUntil = kept.retainedUntil
        furtherReceipt = kept.furtherReceipt
        furtherRetainedUntil = kept.furtherRetainedUntil
        retaining = kept.retaining
    }

    /// The person's decision, or `nil` if nobody decided.
    var decision: PresentationRecord.Decision? {
        if case .decided(let decision) = evidence.person { decision } else { nil }
    }

    /// Whether a test issuer signed one of the documents, or `nil` if no document was judged.
    var hasTestDocument: Bool? {
        let judged = [report, further].compactMap(\.self).filter { !$0.documents.isEmpty }
        return judged.isEmpty ? nil : judged.contains(where: \.hasTestDocument)
    }

    /// Whether the elements of a data request are still in memory.
    var holdsElements: Bool {
        [report, further].contains { $0?.documents.contains { $0.verified != nil } ?? false }
    }

    /// Whether data of one of the two requests was retained and not deleted by a caller since.
    var retainsData: Bool { retainedUntil != nil || furtherRetainedUntil != nil }

    /// The portrait of a data request, or `nil` after it was handed out or its deadline has passed.
    var dataPortrait: ArraySlice<UInt8>? {
        // At most one of the two reports has a portrait: `prepare` refuses an order in which two data
        // requests need a portrait, and the report on a display request has no elements here.
        isPortraitTaken ? nil : further?.portrait ?? report?.portrait
    }

    /// Removes all personal data from the result.
    mutating func wipe() {
        shown = nil
        wipeElements()
    }

    /// Removes the elements of a data request from the result.
    mutating func wipeElements() {
        // The reports in `retaining` have the elements too.
        retaining = WaitingRetention()
        report = report?.withoutElements
        further = further?.withoutElements
    }
}

/// The id of a presentation: 16 random bytes in hexadecimal, so that nobody can guess the id of another
/// caller's presentation.
package struct PresentationID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init() throws(OpenSSLCryptoError) {
        description = try randomBytes(16).hexadecimal
    }

    /// Creates an id from a path or the store. Any text is accepted; a text that is no id belongs to no
    /// presentation.
    package init(_ text: String) {
        description = text
    }
}

extension TransactionReport {
    /// Whether an answer is unknown. If a second request was sent, every answer to the first request was yes
    /// at that time. An answer can become unknown afterwards only because the portrait cannot be decoded.
    fileprivate var hasUnknownAnswer: Bool { questions.contains { answer(to: $0) == .unknown } }
}

extension Conclusion.Evidence {
    /// This evidence with one more unknown answer.
    ///
    /// No person has to decide any more, because with an unknown answer the outcome is `unclear` at best.
    fileprivate var withUnknownAnswer: Conclusion.Evidence {
        // Without a judged response the outcome does not depend on answers.
        guard unjudged == nil else { return self }
        return Conclusion.Evidence(
            faults: faults, unknowns: unknowns, answers: answers + [.unknown], isIncomplete: isIncomplete,
            hasUnusable: hasUnusable, isTest: isTest)
    }
}
