internal import ReaderStore
internal import Reports

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
