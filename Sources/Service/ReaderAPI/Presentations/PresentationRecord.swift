internal import MdocModel
internal import OpenSSLCrypto
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import RequestPlanner

/// One presentation: what was ordered, and how far it has come.
struct PresentationRecord: Sendable {
    enum Decision: String, CaseIterable, Sendable {
        case approved, rejected, dismissed
    }

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
        /// It was judged, and what its order keeps is being written. It shows the state before until that is done.
        case recording(Completion, before: PresentationState)
        case over(Completion)
    }

    /// What came of it.
    struct Completion: Sendable {
        let state: PresentationState
        let ended: Timestamp
        /// Nil where it was cancelled before it had a result. Has elements only for a data request, until they are removed.
        var report: TransactionReport?
        /// Nil where nothing further was asked.
        var further: TransactionReport?
        /// What the display shows, until it is decided or its time is over.
        var shown: ShownPerson?
        var hint: PresentationHint?
        var decision: Decision?
        var receipt = Receipt.none
        /// Until when data of it is retained; nil where nothing is.
        var retainedUntil: Timestamp?
        var furtherReceipt: String?
        var furtherRetainedUntil: Timestamp?
    }

    enum Receipt: Sendable {
        /// The order asks for none.
        case none
        /// It waits for a person's decision.
        case waiting(ReceiptStatement)
        case writing
        /// By its id.
        case written(String)
        case failed
    }

    let id: PresentationID
    let order: PresentationOrder
    let plan: RequestPlan
    let further: Further?
    let lane: String
    let created: Timestamp
    let brand: PreparedBrand?
    /// By what it is judged.
    let basis: JudgingBasis
    var phase = Phase.running(.armed, hint: nil)

    var state: PresentationState {
        switch phase {
        case .running(let state, _), .recording(_, let state): state
        case .cancelling: .cancelled
        case .over(let completion): completion.state
        }
    }

    var hint: PresentationHint? {
        switch phase {
        case .running(_, let hint): hint
        case .cancelling, .recording: nil
        case .over(let completion): completion.hint
        }
    }

    /// Nil until it is over.
    var completion: Completion? { if case .over(let completion) = phase { completion } else { nil } }

    /// Whether nothing waits for it any more.
    var isForgettable: Bool { completion.map { !$0.receipt.isWaiting } ?? false }

    /// Whether a person is to decide on an answer in this state.
    func needsDecision(_ state: PresentationState) -> Bool {
        state == .verified && order.validation == .confirm
    }

    /// What its data is retained for: the caller's own name for it, with which those of several persons come together.
    var retentionReference: String { order.reference?.name ?? id.description }
}

extension PresentationRecord.Receipt {
    var id: String? { if case .written(let id) = self { id } else { nil } }
    var isWaiting: Bool { if case .waiting = self { true } else { false } }
}

extension PresentationRecord.Completion {
    /// The result of a presentation that was running until now.
    ///
    /// - Parameter shown: kept only where everything was verified, since only then somebody compares.
    init(
        _ report: TransactionReport, then further: TransactionReport?, shown: ShownPerson?,
        of record: PresentationRecord, at now: Timestamp
    ) {
        let isCancelled = record.state == .cancelled
        let first = PresentationState(report)
        state = isCancelled ? .cancelled : further.map { PresentationState($0) } ?? first
        ended = now
        // What was cancelled has no answer, whatever came meanwhile.
        guard !isCancelled || first == .cancelled else { return }
        let holdsElements = record.order.kind == .data && first == .verified
        self.report = holdsElements ? report : report.withoutElements
        self.further = further.map { PresentationState($0) == .verified ? $0 : $0.withoutElements }
        if state == .verified, record.order.kind == .display { self.shown = shown }
    }

    /// Whether a test issuer signed a document of it.
    var hasTestDocument: Bool { [report, further].contains { $0?.hasTestDocument ?? false } }

    /// Whether the documents of a data request are still here.
    var holdsElements: Bool {
        [report, further].contains { $0?.documents.contains { $0.verified != nil } ?? false }
    }

    /// Removes all personal data.
    mutating func wipe() {
        shown = nil
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
    init(_ text: String) {
        description = text
    }
}
