internal import JSON
internal import Logging
internal import ReaderStore

/// Sends a kiosk's receipts to the hub in their order, also while the kiosk is stopped. A receipt is a signed
/// statement that a presentation took place.
///
/// `FleetAgent.run` starts the pusher and cancels it. The pusher checks the store for new receipts every two
/// seconds:
/// - After its start and after each failure, it sends the kiosk's receipt keys, and asks the hub which
///   receipt is the latest that the hub has.
/// - Each push sends at most 256 receipts, which follow the hub's latest receipt. Pushes continue until no
///   receipt is left.
/// - A receipt of a version that the hub does not know is not sent, and later receipts wait with it. The kiosk
///   reports the problem `receiptVersionUnknown`, and asks the hub again after each pause. When the hub was
///   updated, the receipts are sent in their order.
/// - If the hub's latest receipt is not in this store, nothing is sent, and the kiosk reports the problem
///   `receiptsDiffer`. Either the store was restored from a backup, or another computer has the kiosk's name.
///
/// The pusher reads the daemon's store and never changes it. It reports the number of waiting receipts, and
/// the hub's reason for a refusal, to the agent.
actor ReceiptPusher {
    /// The maximum number of receipts in one push. A receipt has several hundred bytes.
    static let receiptsPerPush = 256

    private let settings: KioskSettings
    private let hub: EnrolledHub
    private let agent: FleetAgent
    private let log: Logger
    /// The latest receipt that the hub has, or `nil` if the pusher must ask the hub again, because it has
    /// just started or a push failed.
    private var head: HubState.Head?
    /// The latest receipt of the hub, according to the last answer of a hub. While no hub answers, the
    /// receipts after this one are counted as waiting.
    private var known: HubState.Head?
    /// The highest version of receipts that the hub knows, according to its answer that set `head`.
    private var hubVersion: Int64 = 1

    /// - Parameter agent: The agent, which is informed of the number of waiting receipts, and of the reason
    ///   why the hub refuses them.
    init(_ settings: KioskSettings, to hub: EnrolledHub, for agent: FleetAgent, log: Logger) {
        self.settings = settings
        self.hub = hub
        self.agent = agent
        self.log = log
    }

    /// Pushes new receipts until the task is cancelled.
    func run() async {
        var attempt = 0
        while !Task.isCancelled {
            do {
                try await pushAll()
                attempt = 0
                await agent.receipts(fault: "")
                guard await rest(for: settings.receiptInterval * Double.random(in: 0.5...1.5)) else { return }
            } catch {
                head = nil
                let refusal = error as? HubError
                let why = refusal?.explanation ?? (error as? ReaderStoreError)?.explanation
                log.warning(
                    "receipts wait for the hub",
                    metadata: ["why": "\(why ?? "the receipt keys cannot be read")"])
                // An error is ignored here, because the count is only used in the report.
                if let known { try? await countWaiting(after: known) }
                if let refusal { await record(refusal) }
                // A revoked kiosk gets the same answer each time, so it asks only at the regular interval.
                let pause =
                    refusal?.isRevocation == true ? settings.pollPause : settings.pause(after: attempt)
                guard await rest(for: pause) else { return }
                attempt += 1
            }
        }
    }

    /// Pushes receipts until none waits. After the start or a failure, first sends the receipt keys and asks
    /// for the hub's latest receipt.
    private func pushAll() async throws {
        let client = try await hub.enrolledClient()
        if head == nil {
            // `known` is read before the keys are sent, so that `run` can count the waiting receipts even if
            // the hub refuses the keys.
            if known == nil { known = try await client.state().receipts }
            // The keys are sent before the hub's latest receipt is read. After an enrolment, the hub needs
            // these keys to recognise the computer and to choose the receipt after which the computer
            // continues.
            try await pushKeys(by: client)
            let state = try await client.state()
            hubVersion = state.receiptVersion
            head = state.receipts
            known = head
        }
        while let next = try await push(after: head, by: client) {
            head = next
            known = next
        }
    }

    /// Reports the reason why the hub refuses receipts.
    private func record(_ refusal: HubError) async {
        await agent.stop(after: refusal)
        // The ids of problems with the receipts or their keys begin with `receipt`. Other problems, such as a
        // revocation or an exceeded limit, have nothing to do with the receipts.
        if case .refused(_, let id, _) = refusal, id.hasPrefix("receipt") { await agent.receipts(fault: id) }
    }

    /// Reports to the agent how many receipts of the store are newer than the hub's latest one.
    private func countWaiting(after head: HubState.Head) async throws(ReaderStoreError) {
        let store = settings.store
        let last = try await blocking { () throws(ReaderStoreError) in
            try ReaderStore(at: store, for: .reading).lastReceipt()?.sequence
        }
        await agent.receipts(waiting: max(0, (last ?? 0) - head.sequence))
    }

    /// Makes one push. Returns the hub's new latest receipt, or `nil` if no receipt waits.
    private func push(after head: HubState.Head?, by client: HubClient) async throws -> HubState.Head? {
        guard let head else { return nil }
        try await countWaiting(after: head)
        let waiting = try await receipts(after: head)
        guard let first = waiting.first else { return nil }
        // The receipts before the first one of an unknown version are sent. The hub would refuse all receipts of
        // a push that contains one.
        let batch = Array(waiting.prefix { $0.version <= hubVersion })
        guard let newest = batch.last else { throw HubError.versionUnknown(of: first) }
        let answer = try await send(batch, after: head, by: client)
        // The hub's latest receipt must now be the last sent one. Otherwise the same receipts would be sent
        // without end.
        guard let taken = try? HubState.Head(JSONText(answer[...])),
            taken == HubState.Head(sequence: newest.sequence, digest: newest.digest)
        else { throw HubError.malformed }
        return taken
    }

    /// Returns the receipts of the store that follow the hub's latest receipt, at most `receiptsPerPush`. Throws
    /// the problem `receiptsDiffer` if the hub's latest receipt is not in the store.
    private func receipts(after head: HubState.Head) async throws -> [SignedReceipt] {
        let store = settings.store
        let (next, isOwn) = try await blocking { () throws(ReaderStoreError) in
            let store = try ReaderStore(at: store, for: .reading)
            let next = try store.receipts(after: head.sequence, atMost: Self.receiptsPerPush)
            // The hub has no receipt of this kiosk, so there is nothing to compare.
            guard head.sequence > 0 else { return (next, true) }
            // The store's receipt with the number in `head` must have the digest in `head`. Otherwise the
            // store and the hub have different receipt chains.
            let last = try store.receipts(after: head.sequence - 1, atMost: 1).first
            return (next, last?.digest == head.digest)
        }
        guard isOwn else {
            throw HubError.refused(
                status: 409, id: "receiptsDiffer",
                detail:
                    "the hub's receipt \(head.sequence) is not in this store: nothing was sent. \(FleetAgent.setBack)"
            )
        }
        return next
    }

    /// Sends receipts that follow `head`, and returns the hub's answer.
    private func send(
        _ receipts: [SignedReceipt], after head: HubState.Head, by client: HubClient
    ) async throws -> [UInt8] {
        let body = ReceiptChain(receipts.map(\.encoded)).encoded()
        do throws(HubError) {
            return try await client.post("/fleet/v1/receipts", body, type: "application/cbor")
        } catch {
            // A `catch` pattern would crash the Swift 6.3.1 compiler here, so the error is tested with
            // `guard`.
            guard case .refused(_, let id, _) = error else { throw error }
            if id == "receiptKeyUnknown" {
                // The store has made a new receipt key since the keys were sent.
                try await pushKeys(by: client)
                return try await client.post("/fleet/v1/receipts", body, type: "application/cbor")
            }
            // One of several hubs may be older than the hub that announced its version. Such a hub calls a
            // receipt of a later version broken.
            guard id == "receiptBroken", let later = receipts.first(where: { $0.version > 1 }),
                try await isIntact(receipts, after: head)
            else { throw error }
            throw HubError.versionUnknown(of: later)
        }
    }

    /// Whether receipts that follow `head` are unbroken, by this store's keys.
    private func isIntact(_ receipts: [SignedReceipt], after head: HubState.Head) async throws -> Bool {
        let store = settings.store
        let keys = try await blocking { () throws(ReaderStoreError) in
            try ReaderStore(at: store, for: .reading).receiptKeys()
        }
        let chain = ReceiptChain(receipts.map(\.encoded))
        guard case .intact = chain.verify(by: keys, after: (head.sequence, head.digest)) else { return false }
        return true
    }

    /// Sends the public keys that verify this store's receipts.
    private func pushKeys(by client: HubClient) async throws {
        let store = settings.store
        let pem = try await blocking { () throws(any Error) in
            try ReaderStore(at: store, for: .reading).receiptKeys().reduce(into: [UInt8]()) {
                $0 += try $1.pem()
            }
        }
        // A store that has not signed a receipt yet may have no receipt key.
        guard !pem.isEmpty else { return }
        _ = try await client.post("/fleet/v1/receipt-keys", pem, type: "application/x-pem-file")
    }
}

/// The number of receipts that the hub does not have, and the reason why the hub refuses them.
struct ReceiptBacklog {
    /// The number of waiting receipts above which the kiosk reports a finding, because an audit at the hub
    /// would miss these receipts. The kiosk continues to write receipts until its disk is full.
    static let mostWaiting: Int64 = 100_000
    /// The id of the finding about too many waiting receipts.
    static let finding = "receiptsWaiting"
    /// The id of the problem, and of the finding, that the hub does not know the version of a receipt.
    static let versionUnknown = "receiptVersionUnknown"

    /// The id of the problem with which the hub refuses receipts; empty while the hub accepts them.
    private(set) var fault = ""
    /// The number of waiting receipts, or `nil` if unknown.
    private(set) var waiting: Int64?

    var isTooLong: Bool { (waiting ?? 0) > Self.mostWaiting }

    /// Records the id of the problem with which the hub refuses receipts. Returns whether the id has changed.
    mutating func record(fault: String) -> Bool {
        defer { self.fault = fault }
        return fault != self.fault
    }

    /// Records the number of waiting receipts. Returns whether the number has crossed `mostWaiting`, in
    /// either direction.
    mutating func record(waiting: Int64) -> Bool {
        let wasTooLong = isTooLong
        self.waiting = waiting
        return isTooLong != wasTooLong
    }

    /// Returns the daemon's health with the state of the receipts added.
    func health(beside own: KioskHealth) -> KioskHealth {
        let waiting = waiting ?? 0
        // An unknown version raises no alert, because nothing is wrong with the receipts. As a finding it is on
        // the operator's page, also on that of an earlier hub.
        let findings = (isTooLong ? [Self.finding] : []) + (fault == Self.versionUnknown ? [fault] : [])
        return KioskHealth(
            lanes: own.lanes, findings: findings + own.findings,
            trustAgeHours: own.trustAgeHours,
            // A backlog of at most one push is reported as 0, because these receipts are about to be sent.
            receiptsWaiting: fault.isEmpty && waiting <= Int64(ReceiptPusher.receiptsPerPush) ? 0 : waiting)
    }
}

extension HubError {
    /// The error for a receipt of a version that the hub does not know.
    fileprivate static func versionUnknown(of receipt: SignedReceipt) -> HubError {
        .refused(
            status: 409, id: ReceiptBacklog.versionUnknown,
            detail:
                "receipt \(receipt.sequence) has version \(receipt.version), which the hub does not know: update the hub. The kiosk keeps its receipts and sends them after the update"
        )
    }
}
