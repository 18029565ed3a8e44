internal import VersionNumber
internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import ReaderService
internal import ReaderStore
internal import Reports
internal import RequestPlanner

extension WaitingReceipts {
    /// Creates the receipts that are stored when a presentation begins. They report that the presentation was
    /// interrupted. If the daemon ends before the presentation does, the next start of the daemon appends
    /// these receipts to the chain.
    ///
    /// Returns `nil` if a receipt cannot contain the lane's name, the policy's name or the program's version.
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
    /// Creates the receipt of one request whose presentation was interrupted. Every answer in it is unknown.
    /// Returns `nil` if a receipt cannot contain the lane's name, the policy's name or the program's version.
    fileprivate init?(
        interrupting plan: RequestPlan, kind: Kind, retention: RetentionProfile, of record: PresentationRecord
    ) {
        guard let lane = ReceiptLabel(record.lane),
            let policy = ReceiptLabel(record.basis.policy.revocation.name),
            let software = ReceiptLabel(Version.number)
        else { return nil }
        self.init(
            // The time of the interruption cannot be known in advance. The time of the order is written
            // instead.
            time: record.created, lane: lane, kind: kind, purpose: plan.intent.purpose,
            questions: plan.subjects.compactMap(\.receiptSubject).map { ReceiptQuestion($0, .unknown) },
            verdict: .failed, reasons: [ReceiptReason(ReceiptGap.interrupted)], trust: nil, policy: policy,
            software: software, retention: retention, outcome: .failed,
            repeats: record.repeated?.receipt.flatMap { ReceiptLabel($0) })
    }

    /// Creates the receipt of one request. The function `ended` adds the outcome later. Returns `nil` while
    /// the presentation is running, or if a receipt cannot contain the lane's name, the policy's name or the
    /// program's version.
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
                // The age is negative if the clock was set back since the trust was stored. Such an age, like
                // an unknown age, is written as 0.
                let age = record.basis.since.map { ended.secondsSince1970 - $0.secondsSince1970 }
                return Trust(snapshot: basis.trustSnapshot, ageSeconds: max(0, age ?? 0))
            },
            policy: policy, software: software, retention: request.retention,
            repeats: record.repeated?.receipt.flatMap { ReceiptLabel($0) },
            engagement: report.engagementKind.map { Engagement($0) },
            // Every response is judged by its disclosed elements. Without a judged response there is no proof.
            proof: report.basis == nil ? nil : .plain)
    }
}

extension ReceiptStatement.Engagement {
    /// The word of receipts for an engagement.
    fileprivate init(_ kind: EngagementKind) {
        self =
            switch kind {
            case .nfc: .nfc
            case .nfcV2: .nfcV2
            case .qr: .qr
            }
    }
}

extension ReceiptStatement.Verdict {
    /// The verdict of a presentation in this state. Returns `nil` while the presentation is running.
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
    /// Creates a receipt's entry for a question, with the answer from the report. Returns `nil` for a
    /// question that receipts do not record.
    fileprivate init?(_ subject: Question.Subject, by report: TransactionReport) {
        guard let name = subject.receiptSubject else { return nil }
        self.init(name, report.answer(about: subject))
    }
}

extension TransactionReport {
    /// The ids of the checks that failed or could not be made, followed by the ids of errors.
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
            // Only responses through apps and web pages have these failures, and such responses get no
            // receipt.
            case .channel, .unopened: nil
            }
        }
        return checks + others
    }
}

/// The requests of one presentation that have data to retain. The data is retained if the outcome is `allow`.
struct WaitingRetention: Sendable {
    /// The first request, or `nil` if its data is not retained.
    var first: EndedRequest?
    /// The second request, or `nil` if its data is not retained.
    var further: EndedRequest?
}

/// A request of an ended presentation, with the report on its response. The receipt and the retained data of
/// the request are made from this value.
struct EndedRequest: Sendable {
    let kind: PresentationOrder.Kind
    let plan: RequestPlan
    let retention: RetentionProfile
    let state: PresentationState
    /// The report on the response, including the element values.
    let report: TransactionReport
    let ended: Timestamp
    /// Whether the presentation was cancelled, even if this request was answered before.
    let isCancelled: Bool

    /// Whether data of the response is to be retained.
    var isRetained: Bool { retention.days > 0 && state == .verified && !isCancelled }
}

/// The receipts of a presentation before they are written.
struct WaitingReceipts: Sendable {
    /// The receipt of the first request, or `nil` if that request gets no receipt.
    var first: ReceiptStatement?
    /// The receipt of the second request, or `nil` if that request gets no receipt.
    var further: ReceiptStatement?

    var isEmpty: Bool { first == nil && further == nil }

    /// These receipts, marked as written late because the store refused them at first.
    var delayed: WaitingReceipts { WaitingReceipts(first: first?.delayed, further: further?.delayed) }

    /// These receipts with the outcome of the presentation.
    func ended(
        _ conclusion: Conclusion, decision: ReceiptStatement.Decision?,
        from source: ReceiptStatement.DecisionSource? = nil
    ) -> WaitingReceipts {
        WaitingReceipts(
            first: first?.ended(conclusion, decision: decision, from: source),
            further: further?.ended(conclusion, decision: decision, from: source))
    }
}

/// The receipts and outputs that the store wrote with the end of a presentation.
struct WrittenEnd: Sendable {
    let receipts: WrittenReceipts
    let outputs: [StoredOutput]
    /// The six digits of the presentation; empty without outputs.
    let code: String
}

/// The ids of the receipts that the store wrote.
struct WrittenReceipts: Sendable {
    /// The id of the receipt of the first request.
    var first: String?
    /// The id of the receipt of the second request.
    var further: String?
}

extension ReceiptStatement {
    /// This receipt with the outcome of the presentation and its reasons.
    func ended(
        _ conclusion: Conclusion, decision: Decision? = nil, from source: DecisionSource? = nil
    ) -> ReceiptStatement {
        ended(
            conclusion.outcome,
            because: conclusion.reasons.compactMap(\.outcomeReason).map { ReceiptReason($0) },
            decision: decision, from: source)
    }
}
