internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import RequestPlanner

extension WaitingReceipts {
    /// What the receipts of a presentation say that never comes to its end. Nil if one of our names is not valid in a receipt.
    init?(interrupting record: PresentationRecord) {
        let order = record.order
        if order.retention != .none {
            let kind: ReceiptStatement.Kind = order.kind == .display ? .display : .data
            first = ReceiptStatement(
                interrupting: record.plan, kind: kind, retention: order.retention, of: record)
            guard first != nil else { return nil }
        }
        if let next = record.further, next.order.retention != .none {
            further = ReceiptStatement(
                interrupting: next.plan, kind: .data, retention: next.order.retention, of: record)
            guard further != nil else { return nil }
        }
    }
}

extension ReceiptStatement {
    fileprivate init?(
        interrupting plan: RequestPlan, kind: Kind, retention: RetentionProfile, of record: PresentationRecord
    ) {
        guard let lane = ReceiptLabel(record.lane),
            let policy = ReceiptLabel(record.basis.policy.revocation.name),
            let software = ReceiptLabel(Version.number)
        else { return nil }
        self.init(
            time: record.created, lane: lane, kind: kind, purpose: plan.intent.purpose,
            questions: plan.subjects.compactMap(\.receiptSubject).map { ReceiptQuestion($0, .unknown) },
            verdict: .failed, reasons: [ReceiptReason(ReceiptGap.interrupted)], trust: nil, policy: policy,
            software: software, retention: retention, outcome: .failed)
    }

    /// What the receipt of a request says, before a person has decided. Nil if one of our names is not valid in a
    /// receipt.
    init?(_ request: EndedRequest, of record: PresentationRecord) {
        guard let lane = ReceiptLabel(record.lane),
            let policy = ReceiptLabel(record.basis.policy.revocation.name),
            let software = ReceiptLabel(Version.number),
            let verdict = Verdict(request.state, of: request.report)
        else { return nil }
        let (report, ended) = (request.report, request.ended)
        self.init(
            time: ended, lane: lane, kind: request.kind == .display ? .display : .data,
            purpose: request.plan.intent.purpose,
            questions: request.plan.subjects.compactMap { ReceiptQuestion($0, by: report) },
            verdict: verdict, hasTestDocument: report.hasTestDocument, reasons: report.receiptReasons,
            documents: report.documents.compactMap { ReceiptDocument($0.report, answering: request.plan) },
            trust: report.basis.map { basis in
                let age = record.basis.since.map { ended.secondsSince1970 - $0.secondsSince1970 }
                return Trust(snapshot: basis.trustSnapshot, ageSeconds: max(0, age ?? 0))
            },
            policy: policy, software: software, retention: request.retention)
    }
}

extension ReceiptStatement.Verdict {
    /// Nil while the presentation is running.
    fileprivate init?(_ state: PresentationState, of report: TransactionReport) {
        switch state {
        case .armed, .engaged, .awaitingConsent, .receiving, .awaitingDecision: return nil
        case .verified where report.verdict == .mock, .rejected where report.verdict == .mock: self = .mock
        case .verified: self = .verified
        case .rejected: self = .rejected
        case .declined: self = .declined
        case .cancelled: self = .cancelled
        case .failed: self = .failed
        }
    }
}

extension ReceiptQuestion {
    fileprivate init?(_ subject: Question.Subject, by report: TransactionReport) {
        guard let name = subject.receiptSubject else { return nil }
        self.init(name, report.answer(about: subject))
    }
}

extension TransactionReport {
    /// The checks that failed or could not be made, and what went wrong besides, by their ids alone.
    fileprivate var receiptReasons: [ReceiptReason] {
        let checks = documents.flatMap(\.report.checks).compactMap { check -> ReceiptReason? in
            switch check.outcome {
            case .passed, .skipped: nil
            case .failed, .undetermined: ReceiptReason(check.id)
            }
        }
        let others = errors.compactMap { error -> ReceiptReason? in
            switch error.cause {
            case .transaction(let id): ReceiptReason(id)
            case .response(let failure): ReceiptReason(failure)
            case .channel, .unopened: nil
            }
        }
        return checks + others
    }
}

/// What is retained of a presentation, with its elements.
struct WaitingRetention: Sendable {
    /// Of what was asked at first; nil if nothing of that is retained.
    var first: EndedRequest?
    /// Of what was asked next.
    var further: EndedRequest?
}

/// One request of a presentation, with its report: what a receipt is about, and what is retained of.
struct EndedRequest: Sendable {
    let kind: PresentationOrder.Kind
    let plan: RequestPlan
    let retention: RetentionProfile
    let state: PresentationState
    /// With the elements.
    let report: TransactionReport
    let ended: Timestamp
    /// Whether the presentation was cancelled, whatever this request was answered.
    let isCancelled: Bool

    /// Whether data of it is to be retained.
    var isRetained: Bool { retention.days > 0 && state == .verified && !isCancelled }
}

/// What the receipts of a presentation will say once a person has decided.
struct WaitingReceipts: Sendable {
    /// Of what was asked at first; nil if that has no receipt.
    var first: ReceiptStatement?
    /// Of what was asked next.
    var further: ReceiptStatement?

    var isEmpty: Bool { first == nil && further == nil }

    /// The same, written only after the store refused them.
    var delayed: WaitingReceipts { WaitingReceipts(first: first?.delayed, further: further?.delayed) }

    /// The same with how the presentation ended.
    func ended(_ conclusion: Conclusion, decision: ReceiptStatement.Decision?) -> WaitingReceipts {
        WaitingReceipts(
            first: first?.ended(conclusion, decision: decision),
            further: further?.ended(conclusion, decision: decision))
    }
}

/// The ids of receipts that were written.
struct WrittenReceipts: Sendable {
    /// Of what was asked at first.
    var first: String?
    var further: String?
}

extension ReceiptStatement {
    /// The same with how the presentation ended.
    func ended(_ conclusion: Conclusion, decision: Decision? = nil) -> ReceiptStatement {
        ended(
            conclusion.outcome,
            because: conclusion.reasons.compactMap(\.outcomeReason).map { ReceiptReason($0) },
            decision: decision)
    }
}
