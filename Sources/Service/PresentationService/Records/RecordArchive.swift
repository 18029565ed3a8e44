internal import ErrorMapping
package import Logging
package import MdocModel
internal import ReaderService
package import ReaderStore
internal import Reports
internal import Synchronization
internal import Dispatch

/// The daemon's access to its store: presentations, receipts and retained data.
///
/// The actor runs on its own serial queue, `RecordQueue`, so that no other thread waits for the disk.
/// Operations run one after another. `PresentationCoordinator` calls the archive at these points of a
/// presentation:
/// 1. `check` and `insert`, before a request is sent to the phone. `insert` also writes receipts that say
///    "interrupted" and become valid if the daemon crashes.
/// 2. `hold`, while a person decides: after a crash the held receipts become valid, with the verified
///    answers.
/// 3. `retain` and `end`, after the outcome is known. `end` writes outcome, receipts and outputs in one
///   transaction.
/// 4. `giveOutput` and `finishOutput`, when an accessory acts on the outcome.
///
/// `withdraw` removes a presentation that could not begin after all. The webhook queue reads presentations
/// whose webhooks were not delivered. The routes of the HTTP API read through `read(for:)`, which limits the
/// number of waiting callers.
///
/// A failed write is logged, counted in the metrics and kept as `fault`, which makes the daemon report that
/// it is not ready. The archive never repeats a write. The coordinator repeats a failed write.
///
/// Element values are in the store only as sealed records of `RetainedRecords`.
package actor RecordArchive {
    private let queue = RecordQueue()
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe queue.asUnownedSerialExecutor()
    }

    let store: ReaderStore
    let retained: RetainedRecords
    var outputCodes: OutputCodes
    nonisolated let metrics: PresentationMetrics
    nonisolated let log: Logger
    /// The limit on the number of callers that wait for a read. Writes of presentations are not limited.
    private nonisolated let asking = PendingLimit()
    private nonisolated let latestFault = Mutex<ReaderStoreError?>(nil)
    /// The unconfirmed exports, oldest first.
    var pendingExports: [PendingExport] = []
    /// The time at which expired data was last removed in this run of the daemon.
    var purged: Timestamp?
    /// The shortest time between two attempts of `presentFault` to write.
    private static let triesApart = Duration.seconds(1)
    /// The instant from which `presentFault` may try to write again, or `nil` before its first attempt.
    private var nextTry: ContinuousClock.Instant?
    /// Whether the last read of webhooks to deliver failed and was logged.
    private var isDeliveryUnreadable = false

    /// Opens the store, which is created if absent, and appends the held receipts of an earlier run to the
    /// chain: receipts of interrupted presentations, and receipts that waited for a decision.
    ///
    /// - Parameters:
    ///   - keys: the folder of the keys of retained data; `nil` for the default folder beside the store.
    ///   - now: the end time of presentations that were running when an earlier run ended.
    package init(
        store folder: String, keys: String? = nil, metrics: PresentationMetrics, log: Logger,
        at now: Timestamp
    ) throws(ReaderStoreError) {
        store = try ReaderStore(at: folder, for: .changing)
        outputCodes = OutputCodes(store: folder)
        retained = try RetainedRecords(in: store, keysIn: keys)
        self.metrics = metrics
        self.log = log
        // The daemon starts even if one of these writes fails: the daemon then reports, because of `fault`,
        // that it is not ready.
        do throws(ReaderStoreError) {
            let count = try store.appendHeldReceipts()
            for _ in 0..<count { metrics.countWrite(of: .receipt, isWritten: true) }
        } catch {
            failed(.receipt, error)
        }
        do throws(ReaderStoreError) {
            for output in try store.settleOutputs(at: now) {
                metrics.countEnd(of: output)
                report(output)
            }
        } catch {
            failed(.output, error)
        }
        do throws(ReaderStoreError) {
            try store.endPresentations(at: now)
            // Presentations that ended more than a day before or after `now` are removed. With a clock that
            // was never set, all presentations would be removed.
            if now >= WallClock.earliest { try store.removePresentations(at: now) }
        } catch {
            failed(.presentation, error)
        }
    }

    /// The error of the last write, or of the last read of webhooks to deliver; `nil` after a successful
    /// write.
    nonisolated var fault: ReaderStoreError? { latestFault.withLock { $0 } }

    // MARK: Records of presentations

    /// Checks that data can be retained under this profile. Called before the request informs the holder
    /// about the retention.
    func check(_ profile: RetentionProfile, at now: Timestamp) throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try retained.check(profile, at: now)
        } catch {
            failed(.check, error)
            throw .recordsUnavailable(error)
        }
    }

    /// Writes a new presentation, with the receipts that become valid if it is interrupted.
    func insert(_ record: PresentationRecord, _ receipts: WaitingReceipts) throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try store.insert(StoredPresentation(record), holding: receipts.first, then: receipts.further)
            succeeded(.presentation)
        } catch {
            // Counted as a failed check and not as a lost record: the order is refused, so no presentation
            // begins.
            failed(.check, error, of: record.id)
            throw .recordsUnavailable(error)
        }
    }

    /// Tests whether the store accepts presentations again, by writing and removing a presentation.
    func probe() throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try store.checkWritable()
            succeeded(.presentation)
        } catch {
            // Not recorded as a failed write: the earlier `fault`, which led to this test, stays.
            throw .recordsUnavailable(error)
        }
    }

    /// The reason why the store accepts no presentation, or `nil` if the store accepts presentations.
    ///
    /// After a fault that may be over, such as a full disk, this function tries to write, once a second at
    /// most. This attempt is needed because a till sends no order to a daemon that is not ready. Without an
    /// order there is no other write that could clear the fault.
    package func presentFault(at now: ContinuousClock.Instant = .now) -> ReaderStoreError? {
        guard let fault, fault.isOfEveryPresentation, nextTry.map({ $0 <= now }) ?? true else { return fault }
        nextTry = now + Self.triesApart
        // If the write succeeds, `probe` clears `fault`. Otherwise `fault` is still the earlier error.
        try? probe()
        return self.fault
    }

    /// Removes a presentation that was written and could not begin.
    func withdraw(_ id: PresentationID) {
        _ = keep(.presentation, of: id) { () throws(ReaderStoreError) in
            try store.withdraw(id.description)
        }
    }

    /// Writes receipts that wait for a decision. If the daemon ends before the decision, they become valid
    /// with the reason `restarted`.
    func hold(_ receipts: WaitingReceipts, of id: PresentationID) {
        // `conclusion` is `nil` only while a decision is missing. An interrupted presentation needs none.
        guard let conclusion = Conclusion.Evidence.restarted.conclusion else { return }
        let ended = receipts.ended(conclusion, decision: nil)
        _ = keep(.held, of: id) { () throws(ReaderStoreError) in
            try store.holdReceipts(ended.first, then: ended.further, of: id.description)
        }
    }

    /// The finished presentations whose webhooks are still to be delivered, oldest first. Returns `nil` if
    /// the store cannot be read; only the first of several failures in a row is logged.
    func pendingDeliveries() -> [PendingDelivery]? {
        readToDeliver { store throws(ReaderStoreError) in try store.pendingDeliveries() }
    }

    /// The ended presentations of one caller whose webhooks are still to be delivered to an origin, oldest
    /// first. Returns `nil` if the store cannot be read; only the first of several failures in a row is
    /// logged.
    func undelivered(of caller: String, to origin: String, atMost limit: Int) -> [StoredPresentation]? {
        readToDeliver { store throws(ReaderStoreError) in
            try store.undelivered(of: caller, to: origin, atMost: limit)
        }
    }

    /// Reads the webhooks to deliver. A success does not clear `fault`, since a store that can be read may
    /// still refuse writes.
    private func readToDeliver<Value>(_ body: (ReaderStore) throws(ReaderStoreError) -> Value) -> Value? {
        do throws(ReaderStoreError) {
            let value = try body(store)
            isDeliveryUnreadable = false
            return value
        } catch {
            failed(.presentation, error, isLogged: !isDeliveryUnreadable)
            isDeliveryUnreadable = true
            return nil
        }
    }

    /// Records that the webhook of a presentation was delivered or given up.
    ///
    /// - Parameter again: whether an earlier attempt to write this record failed and was logged.
    /// - Returns: whether the store accepted the record.
    @discardableResult
    func endDelivery(of id: PresentationID, again: Bool = false) -> Bool {
        do throws(ReaderStoreError) {
            try store.endDelivery(of: id.description)
            succeeded(.presentation)
            return true
        } catch {
            failed(.presentation, error, of: id, isLogged: !again)
            return false
        }
    }

    /// Writes an ended presentation with its receipts and outputs, in one transaction. The receipts replace the
    /// provisional receipts of this presentation, which were stored for the case of an interruption. If the
    /// write fails, the store does not change, the error is logged, and the function returns `nil`.
    ///
    /// - Parameter outputs: the outputs to record. If the six digits of the presentation cannot be made, none is
    ///   recorded, and the error is logged.
    func end(
        _ record: PresentationRecord, _ receipts: WaitingReceipts, outputs: [NewOutput] = []
    ) -> WrittenEnd? {
        let code = outputs.isEmpty ? nil : outputCode(of: record.id)
        let outputs = code == nil ? [] : outputs
        return keep(receipts.isEmpty ? .presentation : .receipt, of: record.id) {
            () throws(ReaderStoreError) in
            let end = try store.end(
                StoredPresentation(record), first: receipts.first, further: receipts.further,
                outputs: outputs)
            for output in end.outputs { metrics.countEnd(of: output) }
            return WrittenEnd(
                receipts: WrittenReceipts(
                    first: end.first.map { "\($0)" }, further: end.further.map { "\($0)" }),
                outputs: end.outputs, code: code ?? "")
        }
    }

    /// Makes the receipt of a request. Returns `nil` if the order's retention profile is `none`. Also returns
    /// `nil` if the receipt cannot be made, and logs this failure.
    nonisolated func statement(
        _ request: EndedRequest, of record: PresentationRecord
    ) -> ReceiptStatement? {
        guard request.retention != .none else { return nil }
        let statement = ReceiptStatement(request, of: record)
        if statement == nil { failed(.receipt, .receiptMalformed, of: record.id) }
        return statement
    }

    /// Retains the data of the first and the second request, and returns the deadlines at which the data must
    /// be deleted. A deadline is `nil` if nothing was retained.
    func retain(
        _ retention: WaitingRetention, of record: PresentationRecord
    ) -> (first: Timestamp?, further: Timestamp?) {
        (
            retention.first.flatMap { retain($0, of: record) },
            retention.further.flatMap { retain($0, of: record) }
        )
    }

    /// Retains the data of the verified documents in a response. Returns the deadline of the data, or `nil`
    /// if nothing was retained. A failed write is logged.
    private func retain(_ request: EndedRequest, of record: PresentationRecord) -> Timestamp? {
        var latest: Timestamp?
        for document in request.report.documents.compactMap(\.verified) {
            let outcome = keep(.retained, of: record.id) { () throws(ReaderStoreError) in
                try retained.retain(
                    document, answering: request.plan, under: request.retention,
                    consent: record.order.consent, for: RetainedReference(record.retentionReference),
                    orderedBy: record.retentionOwner.text, at: request.ended)
            }
            // All documents of a request have the same deadline.
            if case .retained(_, let deadline)? = outcome { latest = deadline }
        }
        return latest
    }

    /// Runs a write, and records its success or failure.
    func keep<Value>(
        _ kind: PresentationMetrics.Record, of id: PresentationID,
        _ body: () throws(ReaderStoreError) -> Value
    ) -> Value? {
        do throws(ReaderStoreError) {
            let value = try body()
            succeeded(kind)
            return value
        } catch {
            failed(kind, error, of: id)
            return nil
        }
    }

    // MARK: Logs and metrics

    /// Records a successful write.
    nonisolated func succeeded(_ kind: PresentationMetrics.Record) {
        latestFault.withLock { $0 = nil }
        metrics.countWrite(of: kind, isWritten: true)
    }

    /// Records a failed write: in `fault`, in the metrics and in the log.
    nonisolated func failed(
        _ kind: PresentationMetrics.Record, _ error: ReaderStoreError, of id: PresentationID? = nil,
        isLogged: Bool = true
    ) {
        latestFault.withLock { $0 = error }
        metrics.countWrite(of: kind, isWritten: false)
        guard isLogged else { return }
        log.error(
            "the store refused a record",
            metadata: [
                "what": "\(kind.rawValue)", "presentation": "\(id?.description ?? "none")",
                "why": "\(error.explanation)",
            ])
    }

    // MARK: Reads for callers

    /// Reads the store for a caller.
    ///
    /// - Throws: `recordsUnavailable(.busy)` if too many calls wait already, in total or from this caller.
    package nonisolated func read<Value: Sendable>(
        for caller: String, _ body: @Sendable (ReaderStore) throws(ReaderStoreError) -> Value
    ) async throws(PresentationServiceError) -> Value {
        guard asking.enter(caller) else { throw .recordsUnavailable(.busy) }
        defer { asking.leave(caller) }
        return try await read(body)
    }

    /// Reads the store for an order. The number of these reads is not limited, so that callers that wait for
    /// reads cannot cause the refusal of an order.
    func read<Value: Sendable>(
        _ body: @Sendable (ReaderStore) throws(ReaderStoreError) -> Value
    ) throws(PresentationServiceError) -> Value {
        try mapping(body(store), PresentationServiceError.recordsUnavailable)
    }
}

extension ReaderStoreError {
    /// Whether the error may stop the store from accepting any presentation, as a full disk does. Any other
    /// error concerns the data of one order only, and a successful write of another presentation does not
    /// show that the error is over.
    fileprivate var isOfEveryPresentation: Bool {
        switch self {
        case .receiptMalformed, .receiptKeyUnusable, .keysInsideStore, .sealBroken, .retentionDiffers,
            .tooLong, .deadlinePassed:
            false
        default: true
        }
    }
}

/// A serial executor on its own queue, for actors that wait for the disk.
package final class RecordQueue: SerialExecutor {
    private let queue = DispatchQueue(label: "countersign.records")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

/// The limit of the calls that wait for the disk at the same time: for all callers together, and for each
/// caller.
final class PendingLimit: Sendable {
    /// The maximum number of calls, of all callers together, that wait at the same time.
    static let places = 16
    private let ofOneCaller: Int
    private let taken = Mutex<[String: Int]>([:])

    init(ofOneCaller: Int = 4) {
        self.ofOneCaller = ofOneCaller
    }

    /// Counts a call that begins to wait, if the limits permit. If this function returns true, its caller
    /// must call `leave` after the wait.
    ///
    /// - Returns: false if too many calls wait already, in total or from this caller.
    func enter(_ caller: String) -> Bool {
        taken.withLock { taken in
            guard taken.values.reduce(0, +) < Self.places, taken[caller, default: 0] < ofOneCaller else {
                return false
            }
            taken[caller, default: 0] += 1
            return true
        }
    }

    /// Counts one call of the caller as no longer waiting.
    func leave(_ caller: String) {
        taken.withLock { taken in
            let rest = taken[caller, default: 1] - 1
            taken[caller] = rest > 0 ? rest : nil
        }
    }
}
