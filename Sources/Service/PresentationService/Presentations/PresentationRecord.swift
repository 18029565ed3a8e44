internal import MdocVerification
internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService
package import ReaderStore
internal import Reports
internal import RequestPlanner

/// One presentation: what was ordered, and how far it has come.
package struct PresentationRecord: Sendable {
    package typealias Decision = ReceiptStatement.Decision

    /// What is asked next in the same session.
    struct Further: Sendable {
        let order: FurtherOrder
        let plan: RequestPlan
    }

    enum Phase: Sendable {
        /// A phone is waited for or asked.
        case running(PresentationState, hint: PresentationHint?)
        /// It was cancelled, and its phone is being notified.
        case cancelling
        /// It was judged or decided, and what is kept of it is being written. It shows the state before until that is done.
        case recording(Completion, before: PresentationState)
        /// It was judged, and a person is to decide.
        case awaitingDecision(Completion)
        case over(Completion)
    }

    /// What came of it.
    struct Completion: Sendable {
        /// What follows from the phone's answer.
        let state: PresentationState
        let ended: Timestamp
        /// What the outcome follows from.
        var evidence: Conclusion.Evidence
        /// Nil if it was cancelled before it had a result. Has elements only for a data request, until they are removed.
        var report: TransactionReport?
        /// Nil if nothing further was asked.
        var further: TransactionReport?
        /// What the display shows, until it is decided or its time is over.
        var shown: ShownPerson?
        var hint: PresentationHint?
        var receipt = Receipt.none
        /// Until when data of it is retained; nil if nothing is.
        var retainedUntil: Timestamp?
        var furtherReceipt: String?
        var furtherRetainedUntil: Timestamp?
        /// What is retained once a person has approved.
        var retaining = WaitingRetention()
        /// Whether the portrait of a data request was handed out.
        var isPortraitTaken = false
    }

    enum Receipt: Sendable {
        /// The order asks for none.
        case none
        /// It waits for a person's decision.
        case waiting(WaitingReceipts)
        /// By its id.
        case written(String)
        case failed
    }

    package let id: PresentationID
    /// The name of the caller who ordered it, whose it is.
    package let owner: String
    package let order: PresentationOrder
    let plan: RequestPlan
    let further: Further?
    package let lane: String
    let created: Timestamp
    package let brand: PreparedBrand?
    /// By what it is judged.
    let basis: JudgingBasis
    /// The presentation whose missing elements this one asks for again; nil if the order is new.
    var repeated: PresentationID?
    /// Whether a presentation that asks again for what is missing here has begun.
    var isAskedAgain = false
    var phase = Phase.running(.armed, hint: .openYourID)

    package var state: PresentationState {
        switch phase {
        case .running(let state, _), .recording(_, let state): state
        case .cancelling: .cancelled
        case .awaitingDecision: .awaitingDecision
        case .over(let completion): completion.state
        }
    }

    var hint: PresentationHint? {
        switch phase {
        case .running(_, let hint): hint
        case .cancelling, .recording: nil
        case .awaitingDecision(let completion), .over(let completion): completion.hint
        }
    }

    /// Nil until it was judged.
    var completion: Completion? {
        switch phase {
        case .running, .cancelling, .recording: nil
        case .awaitingDecision(let completion), .over(let completion): completion
        }
    }

    /// Whether the result names needed elements that did not come.
    var hasMissingElements: Bool {
        [completion?.report, completion?.further].contains { $0?.missing.isEmpty == false }
    }

    /// How it ended. Nil until everything is decided.
    var conclusion: Conclusion? {
        if case .over(let completion) = phase { completion.evidence.conclusion } else { nil }
    }

    /// Whether nothing waits for it any more.
    var isForgettable: Bool { if case .over = phase { true } else { false } }

    /// Whether a person is to decide: the order says so, or a display request asks for a portrait, which is for nothing
    /// else.
    var asksPerson: Bool { order.validation == .confirm || (order.kind == .display && plan.needsPortrait) }

    /// Stores its result, whether that is decided or not.
    mutating func take(_ completion: Completion) {
        phase = completion.evidence.conclusion == nil ? .awaitingDecision(completion) : .over(completion)
    }

    /// As it is once the receipts that waited for a decision were written. Nil if it is not decided.
    func decided(_ written: WrittenReceipts) -> PresentationRecord? {
        guard case .recording(var completion, .awaitingDecision) = phase else { return nil }
        if case .waiting(let receipts) = completion.receipt {
            completion.receipt = receipts.first == nil ? .none : .ended(written.first)
            completion.furtherReceipt = written.further
        }
        var record = self
        record.take(completion)
        return record
    }

    /// As it is once what its order keeps was written.
    func ended(_ completion: Completion, _ kept: PresentationBook.Kept) -> PresentationRecord {
        var completion = completion
        completion.take(kept)
        var record = self
        record.take(completion)
        return record
    }

    /// As it ended where the daemon ends before it.
    var interrupted: PresentationRecord {
        let evidence = Conclusion.Evidence.restarted
        var record = self
        record.phase = .over(Completion(state: .failed, ended: created, evidence: evidence))
        return record
    }

    /// What its data is retained for: the caller's own name for it, with which those of several persons come together.
    var retentionReference: String { order.reference?.name ?? id.description }
}

extension PresentationRecord.Receipt {
    /// One that the order asks for: written, unless it has no id.
    static func ended(_ id: String?) -> PresentationRecord.Receipt { id.map { .written($0) } ?? .failed }

    var id: String? { if case .written(let id) = self { id } else { nil } }
}

extension PresentationRecord.Completion {
    /// The result of a presentation that was running until now.
    ///
    /// - Parameters:
    ///   - isInterrupted: whether a presentation that was cancelled was so because the daemon is ending.
    ///   - shown: kept only where everything was verified and answered yes, since only then somebody compares.
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
            if further != nil, report.hasUnknownAnswer { evidence = evidence.withUnknownAnswer }
        }
        // What was cancelled has no answer, whatever came meanwhile.
        guard !isCancelled || first == .cancelled else { return }
        let holdsElements = record.order.kind == .data && first == .verified
        self.report = holdsElements ? report : report.withoutElements
        self.further = further.map { PresentationState($0) == .verified ? $0 : $0.withoutElements }
        let isDenied = evidence.conclusion.map { $0.outcome != .allow } ?? false
        if record.order.kind == .display, !isDenied { self.shown = shown }
    }

    mutating func take(_ kept: PresentationBook.Kept) {
        receipt = kept.receipt
        retainedUntil = kept.retainedUntil
        furtherReceipt = kept.furtherReceipt
        furtherRetainedUntil = kept.furtherRetainedUntil
        retaining = kept.retaining
    }

    /// What the person decided; nil if nobody did.
    var decision: PresentationRecord.Decision? {
        if case .decided(let decision) = evidence.person { decision } else { nil }
    }

    /// Whether a test issuer signed a document of it; nil if nothing was judged.
    var hasTestDocument: Bool? {
        let judged = [report, further].compactMap(\.self).filter { !$0.documents.isEmpty }
        return judged.isEmpty ? nil : judged.contains(where: \.hasTestDocument)
    }

    /// Whether the documents of a data request are still here.
    var holdsElements: Bool {
        [report, further].contains { $0?.documents.contains { $0.verified != nil } ?? false }
    }

    /// The portrait of a data request, until it is handed out or its time is over.
    var dataPortrait: ArraySlice<UInt8>? {
        isPortraitTaken ? nil : further?.portrait ?? report?.portrait
    }

    /// Removes all personal data.
    mutating func wipe() {
        shown = nil
        wipeElements()
    }

    mutating func wipeElements() {
        retaining = WaitingRetention()
        report = report?.withoutElements
        further = further?.withoutElements
    }
}

/// A presentation's name: drawn at random, so that nobody can guess another's.
package struct PresentationID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init() throws(OpenSSLCryptoError) {
        description = try randomBytes(16).hexadecimal
    }

    /// As it comes in a path. One that was never drawn names nothing.
    package init(_ text: String) {
        description = text
    }
}

extension TransactionReport {
    /// Whether a question came to have no answer after something else was asked, such as a portrait that does not decode.
    fileprivate var hasUnknownAnswer: Bool { questions.contains { answer(to: $0) == .unknown } }
}

extension Conclusion.Evidence {
    /// The same evidence with one more answer that is not known.
    fileprivate var withUnknownAnswer: Conclusion.Evidence {
        guard unjudged == nil else { return self }
        return Conclusion.Evidence(
            faults: faults, unknowns: unknowns, answers: answers + [.unknown], isIncomplete: isIncomplete,
            hasUnusable: hasUnusable, isTest: isTest)
    }
}
