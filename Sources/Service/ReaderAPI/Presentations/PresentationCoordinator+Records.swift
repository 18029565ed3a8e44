internal import MdocModel
internal import ReaderStore

/// What is kept of presentations: a receipt for each that needs one, however it ends, and the data of a data
/// request that its holder was informed about.
extension PresentationCoordinator {
    /// Refuses retention that is not possible, before the holder is informed of it.
    func checkRetention(of order: PresentationOrder, at now: Timestamp) async throws(APIProblem) {
        let ofData =
            (order.kind == .data ? [order.retention] : []) + [order.then?.retention].compactMap(\.self)
        guard ([order.retention] + ofData).contains(where: { $0 != .none }) else { return }
        guard let archive else {
            throw APIProblem(.retentionRefused, 400, "nothing is kept here: retention is to be \"none\"")
        }
        for retention in ofData where retention != .none { try await archive.check(retention, at: now) }
    }

    /// Keeps what the order of an ended presentation specifies. If a person has to decide, the receipt waits for
    /// the decision until its time is over, the lane starts another presentation, or the daemon ends.
    func keep(
        _ record: inout PresentationRecord, as ending: PresentationEnding, then further: PresentationEnding?
    ) async {
        guard let archive else { return }
        let state = further == nil ? record.state : ending.state
        let first = EndedRequest(
            record.order.kind, record.plan, record.order.retention, came: state, ending, of: record)
        if first.isRetained { record.retainedUntil = await archive.retain(first, of: record) }
        if let statement = archive.statement(first, of: record) {
            if record.needsDecision {
                await archive.hold(statement, of: record.id)
                record.receipt = .due(statement)
            } else {
                record.receipt = await archive.write(statement, of: record.id).map { .written($0) } ?? .absent
            }
        }
        guard let then = record.then, let further else { return }
        let second = EndedRequest(
            .data, then.plan, then.order.retention, came: record.state, further, of: record)
        let until = second.isRetained ? await archive.retain(second, of: record) : nil
        record.then?.retainedUntil = until
        guard let statement = archive.statement(second, of: record) else { return }
        let written = await archive.write(statement, of: record.id)
        record.then?.receipt = written
    }

    /// Writes a receipt that waited for a decision: with the decision, or without one if nobody has decided.
    func settle(_ id: PresentationID) {
        guard let archive, let record = records[id], case .due(var statement) = record.receipt else { return }
        statement.decision = record.decision.map(ReceiptStatement.Decision.init)
        records[id]?.receipt = .absent
        settling[id] = Task { [statement] in
            let written = await archive.write(statement, of: id, wasHeld: true)
            records[id]?.receipt = written.map { .written($0) } ?? .absent
            settling[id] = nil
            if let record = records[id] { tell(record) }
        }
    }

    /// The presentation once its receipt no longer waits.
    func settled(_ id: PresentationID) async -> PresentationRecord? {
        settle(id)
        await settling[id]?.value
        return records[id]
    }

    /// Whether the receipt says for good that nobody decided.
    func isUndecided(_ record: PresentationRecord) -> Bool {
        archive != nil && record.order.retention != .none && record.needsDecision && !record.isReceiptDue
    }
}

extension PresentationRecord {
    var isReceiptDue: Bool { if case .due = receipt { true } else { false } }

    /// Whether nothing waits for it any more.
    var isForgettable: Bool { state.isOver && !isReceiptDue }
}

extension ReceiptStatement.Decision {
    fileprivate init(_ decision: PresentationRecord.Decision) {
        self =
            switch decision {
            case .approved: .approved
            case .rejected: .rejected
            case .dismissed: .dismissed
            }
    }
}
