internal import ErrorMapping
package import Logging
package import MdocModel
internal import ReaderService
package import ReaderStore
internal import Reports
internal import Synchronization
internal import Dispatch

/// Receipts and retained data, as the daemon writes them. A separate thread waits for the disk, one operation after
/// another.
package actor RecordArchive {
    private let queue = RecordQueue()
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe queue.asUnownedSerialExecutor()
    }

    let store: ReaderStore
    let retained: RetainedRecords
    private nonisolated let metrics: PresentationMetrics
    private nonisolated let log: Logger
    /// Of callers who look something up; what presentations keep goes in whatever waits.
    private nonisolated let asking = PendingLimit()
    private nonisolated let latestFault = Mutex<ReaderStoreError?>(nil)
    /// From the oldest to the newest.
    var pendingExports: [PendingExport] = []
    /// When expired data was last removed in this run.
    var purged: Timestamp?
    private static let triesApart = Duration.seconds(1)
    /// The instant from which on the store may be tried again; nil before the first try.
    private var nextTry: ContinuousClock.Instant?
    /// Whether the last try to read what is to be delivered failed, which was logged.
    private var isDeliveryUnreadable = false

    /// Opens the store, created if absent, and writes the receipts that an earlier run left open: those of interrupted
    /// presentations, and those on which nobody can decide any more.
    ///
    /// - Parameters:
    ///   - keys: the folder of the keys of retained data; nil for the one beside the store.
    ///   - now: the end time of what an earlier run left open.
    package init(
        store folder: String, keys: String? = nil, metrics: PresentationMetrics, log: Logger,
        at now: Timestamp
    ) throws(ReaderStoreError) {
        store = try ReaderStore(at: folder, for: .changing)
        retained = try RetainedRecords(in: store, keysIn: keys)
        self.metrics = metrics
        self.log = log
        do throws(ReaderStoreError) {
            let count = try store.appendHeld()
            for _ in 0..<count { metrics.kept(.receipt, isWritten: true) }
        } catch {
            failed(.receipt, error)
        }
        do throws(ReaderStoreError) {
            try store.endPresentations(at: now)
            // A clock that is not set yet says nothing about the age of a presentation.
            if now >= WallClock.earliest { try store.removePresentations(at: now) }
        } catch {
            failed(.presentation, error)
        }
    }

    /// Why the last thing could not be written; nil once something was.
    nonisolated var fault: ReaderStoreError? { latestFault.withLock { $0 } }

    // MARK: What presentations keep

    /// Checks that what a profile keeps can be kept, before the holder is informed of it.
    func check(_ profile: RetentionProfile, at now: Timestamp) throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try retained.check(profile, at: now)
        } catch {
            failed(.check, error)
            throw .recordsUnavailable(error)
        }
    }

    /// Keeps a presentation that begins, and the place for its receipts.
    func insert(_ record: PresentationRecord, _ receipts: WaitingReceipts) throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try store.insert(StoredPresentation(record), holding: receipts.first, then: receipts.further)
            succeeded(.presentation)
        } catch {
            failed(.check, error, of: record.id)
            throw .recordsUnavailable(error)
        }
    }

    /// Writes and removes a presentation that nobody began: whether the store accepts one again.
    func probe() throws(PresentationServiceError) {
        do throws(ReaderStoreError) {
            try store.probe()
            succeeded(.presentation)
        } catch {
            throw .recordsUnavailable(error)
        }
    }

    /// Why the store takes nothing now. Where that may be over, as on a disk that has space again, it is tried, once a second at
    /// most: who asks whether the daemon is ready may send it no order before.
    package func presentFault(at now: ContinuousClock.Instant = .now) -> ReaderStoreError? {
        guard let fault, fault.isOfEveryPresentation, nextTry.map({ $0 <= now }) ?? true else { return fault }
        nextTry = now + Self.triesApart
        try? probe()
        return self.fault
    }

    /// The presentation was not begun after all.
    func withdraw(_ id: PresentationID) {
        _ = keep(.presentation, of: id) { () throws(ReaderStoreError) in
            try store.withdraw(id.description)
        }
    }

    /// Keeps what receipts will say until somebody has decided: until then, that the daemon was started again.
    func hold(_ receipts: WaitingReceipts, of id: PresentationID) {
        guard let conclusion = Conclusion.Evidence.restarted.conclusion else { return }
        let ended = receipts.ended(conclusion, decision: nil)
        _ = keep(.held, of: id) { () throws(ReaderStoreError) in
            try store.hold(ended.first, then: ended.further, of: id.description)
        }
    }

    /// The ends that are still to be delivered, from the oldest on; nil if the store cannot be read, which is logged once.
    func pendingDeliveries() -> [PendingDelivery]? {
        readToDeliver { store throws(ReaderStoreError) in try store.pendingDeliveries() }
    }

    /// The ends of one caller's presentations that are still to be delivered to an origin, from the oldest on; nil if the store cannot
    /// be read, which is logged.
    func undelivered(of caller: String, to origin: String, atMost limit: Int) -> [StoredPresentation]? {
        readToDeliver { store throws(ReaderStoreError) in
            try store.undelivered(of: caller, to: origin, atMost: limit)
        }
    }

    /// A store that can be read may still not take what is written: nothing is counted as kept here.
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

    /// The end of a presentation was delivered, or is given up.
    ///
    /// - Parameter again: whether a try before failed, which was logged.
    /// - Returns: whether the store has recorded it.
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

    /// Keeps how a presentation ended and writes its receipts, in place of what was held for them. Nil if that fails,
    /// which is logged: then nothing of it was written.
    func end(_ record: PresentationRecord, _ receipts: WaitingReceipts) -> WrittenReceipts? {
        keep(receipts.isEmpty ? .presentation : .receipt, of: record.id) { () throws(ReaderStoreError) in
            let numbers = try store.end(
                StoredPresentation(record), first: receipts.first, further: receipts.further)
            return WrittenReceipts(
                first: numbers.first.map { "\($0)" }, further: numbers.further.map { "\($0)" })
        }
    }

    /// What a receipt says of a request that is to have one; nil otherwise.
    nonisolated func statement(
        _ request: EndedRequest, of record: PresentationRecord
    ) -> ReceiptStatement? {
        guard request.retention != .none else { return nil }
        let statement = ReceiptStatement(request, of: record)
        if statement == nil { failed(.receipt, .receiptMalformed, of: record.id) }
        return statement
    }

    /// Keeps the data of what was asked at first and next. Returns their deadlines; nil if nothing is kept.
    func retain(
        _ retention: WaitingRetention, of record: PresentationRecord
    ) -> (first: Timestamp?, further: Timestamp?) {
        (
            retention.first.flatMap { retain($0, of: record) },
            retention.further.flatMap { retain($0, of: record) }
        )
    }

    /// Keeps the data of verified documents that the holder was informed about. Returns the deadline; nil if
    /// nothing is kept or that failed, which is logged.
    private func retain(_ request: EndedRequest, of record: PresentationRecord) -> Timestamp? {
        var latest: Timestamp?
        for document in request.report.documents.compactMap(\.verified) {
            let outcome = keep(.retained, of: record.id) { () throws(ReaderStoreError) in
                try retained.retain(
                    document, answering: request.plan, under: request.retention,
                    consent: record.order.consent, for: RetainedReference(record.retentionReference),
                    orderedBy: record.owner, at: request.ended)
            }
            if case .retained(_, let deadline)? = outcome { latest = deadline }
        }
        return latest
    }

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

    nonisolated func succeeded(_ kind: PresentationMetrics.Record) {
        latestFault.withLock { $0 = nil }
        metrics.kept(kind, isWritten: true)
    }

    nonisolated func failed(
        _ kind: PresentationMetrics.Record, _ error: ReaderStoreError, of id: PresentationID? = nil,
        isLogged: Bool = true
    ) {
        latestFault.withLock { $0 = error }
        metrics.kept(kind, isWritten: false)
        guard isLogged else { return }
        log.error(
            "the store does not take what it is to keep",
            metadata: [
                "what": "\(kind.rawValue)", "presentation": "\(id?.description ?? "none")",
                "why": "\(error.explanation)",
            ])
    }

    // MARK: What callers look up

    /// Looks something up for a caller. So many may wait at once; further ones are refused.
    package nonisolated func look<Value: Sendable>(
        for caller: String, _ body: @Sendable (ReaderStore) throws(ReaderStoreError) -> Value
    ) async throws(PresentationServiceError) -> Value {
        guard asking.enter(caller) else { throw .recordsUnavailable(.busy) }
        defer { asking.leave(caller) }
        return try await read(body)
    }

    /// Looks something up for an order, which no number of callers who look something up may refuse.
    func read<Value: Sendable>(
        _ body: @Sendable (ReaderStore) throws(ReaderStoreError) -> Value
    ) throws(PresentationServiceError) -> Value {
        try mapping(body(store), PresentationServiceError.recordsUnavailable)
    }
}

extension ReaderStoreError {
    /// Whether it may keep the store from taking any presentation, as the file of a key that finds no space; otherwise it is of
    /// what one order keeps, and one that is written does not show that it is over.
    fileprivate var isOfEveryPresentation: Bool {
        switch self {
        case .receiptMalformed, .receiptKeyUnusable, .keysInsideStore, .sealBroken, .retentionDiffers,
            .tooLong, .deadlinePassed:
            false
        default: true
        }
    }
}

/// The thread that waits for the disk, so that no other has to.
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

/// How many callers may wait for the disk at once, and how often each; further ones are refused.
final class PendingLimit: Sendable {
    static let places = 16
    private let ofOneCaller: Int
    private let taken = Mutex<[String: Int]>([:])

    init(ofOneCaller: Int = 4) {
        self.ofOneCaller = ofOneCaller
    }

    /// False when there is no place; otherwise call `leave` later.
    func enter(_ caller: String) -> Bool {
        taken.withLock { taken in
            guard taken.values.reduce(0, +) < Self.places, taken[caller, default: 0] < ofOneCaller else {
                return false
            }
            taken[caller, default: 0] += 1
            return true
        }
    }

    func leave(_ caller: String) {
        taken.withLock { taken in
            let rest = taken[caller, default: 1] - 1
            taken[caller] = rest > 0 ? rest : nil
        }
    }
}
