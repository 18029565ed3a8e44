internal import MdocModel
internal import ReaderStore
internal import Reports

/// What is kept of presentations: a receipt for each that needs one, however it ends, and the data of a data
/// request that its holder was informed about.
extension PresentationCoordinator {
    /// Refuses retention that is not possible, before the holder is informed of it.
    func checkRetention(of order: PresentationOrder, at now: Timestamp) async throws(PresentationServiceError)
    {
        let ofData =
            (order.kind == .data ? [order.retention] : []) + [order.then?.retention].compactMap(\.self)
        guard ([order.retention] + ofData).contains(where: { $0 != .none }) else { return }
        guard let archive else {
            throw .retentionWithoutStore
        }
        for retention in ofData where retention != .none { try await archive.check(retention, at: now) }
    }

    /// Keeps a presentation that begins. Refuses one that cannot be kept, or whose receipts cannot be written, before the
    /// phone is asked.
    func keepBegun(_ record: PresentationRecord) async throws(PresentationServiceError) {
        guard let archive else { return }
        guard let receipts = WaitingReceipts(interrupting: record) else {
            throw .recordsUnavailable(.receiptMalformed)
        }
        try await archive.insert(record, receipts)
    }

    /// Keeps what the order of an ended presentation specifies: a receipt of any outcome, data of `allow` alone. If a
    /// person has to decide, both wait for the decision, until its time is over or the daemon ends.
    func keep(
        _ record: PresentationRecord, _ completion: PresentationRecord.Completion,
        _ report: TransactionReport, then further: TransactionReport?
    ) async -> PresentationBook.Kept {
        var kept = PresentationBook.Kept()
        guard let archive else { return kept }
        let order = record.order
        let first = EndedRequest(
            kind: order.kind, plan: record.plan, retention: order.retention,
            state: further == nil ? completion.state : PresentationState(report), report: report,
            ended: completion.ended, isCancelled: record.state == .cancelled)
        if first.isRetained { kept.retaining.first = first }
        var receipts = WaitingReceipts(first: archive.statement(first, of: record))
        if let then = record.further, let further {
            let second = EndedRequest(
                kind: .data, plan: then.plan, retention: then.order.retention, state: completion.state,
                report: further, ended: completion.ended, isCancelled: record.state == .cancelled)
            if second.isRetained { kept.retaining.further = second }
            receipts.further = archive.statement(second, of: record)
        }
        guard let conclusion = completion.evidence.conclusion else {
            guard !receipts.isEmpty else { return kept }
            kept.receipt = .waiting(receipts)
            await archive.hold(receipts, of: record.id)
            return kept
        }
        if conclusion.outcome == .allow {
            (kept.retainedUntil, kept.furtherRetainedUntil) = await archive.retain(kept.retaining, of: record)
        }
        kept.retaining = WaitingRetention()
        let written = await end(
            record.ended(completion, kept), receipts.ended(conclusion, decision: nil), in: archive)
        kept.receipt = order.retention == .none ? .none : .ended(written.first)
        kept.furtherReceipt = written.further
        return kept
    }

    /// Stores how a presentation ended, now or as soon as the store accepts it.
    func end(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, in archive: RecordArchive
    ) async -> WrittenReceipts {
        if let written = await archive.end(record, receipts) { return written }
        retry(record, receipts, in: archive)
        return WrittenReceipts()
    }
}
