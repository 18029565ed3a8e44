internal import JSON
internal import Logging
internal import ReaderStore

/// Pushes a kiosk's receipts to the hub in their order: each push begins after the last one that the hub has committed. A stopped kiosk
/// does so too.
actor ReceiptPusher {
    /// The most receipts of one push; one has some hundred bytes.
    static let receiptsPerPush = 256

    private let settings: KioskSettings
    private let hub: EnrolledHub
    private let agent: FleetAgent
    private let log: Logger
    /// The last receipt that the hub has; nil until it was asked since the last failure.
    private var head: HubState.Head?
    /// The last answer of a hub, which is kept while none answers.
    private var known: HubState.Head?

    /// - Parameter agent: Hears how many receipts wait, and why.
    init(_ settings: KioskSettings, to hub: EnrolledHub, for agent: FleetAgent, log: Logger) {
        self.settings = settings
        self.hub = hub
        self.agent = agent
        self.log = log
    }

    /// Pushes until it is cancelled.
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
                log.warning("receipts wait", metadata: ["why": "\(why ?? "the receipt keys cannot be read")"])
                if let known { try? await countWaiting(after: known) }
                if let refusal { await record(refusal) }
                // A revoked kiosk asks as seldom as for its state.
                let pause =
                    refusal?.isRevocation == true ? settings.pollPause : settings.pause(after: attempt)
                guard await rest(for: pause) else { return }
                attempt += 1
            }
        }
    }

    private func pushAll() async throws {
        let client = try await hub.enrolledClient()
        if head == nil {
            if known == nil { known = try await client.state().receipts }
            // By them the hub knows whether this computer continues, or has the name of another one.
            try await pushKeys(by: client)
            head = try await client.state().receipts
            known = head
        }
        while let next = try await push(after: head, by: client) {
            head = next
            known = next
        }
    }

    /// Records why the hub takes no receipts.
    private func record(_ refusal: HubError) async {
        await agent.stop(after: refusal)
        if case .refused(_, let id, _) = refusal, id.hasPrefix("receipt") { await agent.receipts(fault: id) }
    }

    private func countWaiting(after head: HubState.Head) async throws(ReaderStoreError) {
        let store = settings.store
        let last = try await blocking { () throws(ReaderStoreError) in
            try ReaderStore(at: store, for: .reading).lastReceipt()?.sequence
        }
        await agent.receipts(waiting: max(0, (last ?? 0) - head.sequence))
    }

    /// The head after one push; nil if there is nothing to push.
    private func push(after head: HubState.Head?, by client: HubClient) async throws -> HubState.Head? {
        guard let head else { return nil }
        try await countWaiting(after: head)
        let store = settings.store
        let (links, newest, isOwn) = try await blocking { () throws(ReaderStoreError) in
            let store = try ReaderStore(at: store, for: .reading)
            let next = try store.receipts(after: head.sequence, atMost: Self.receiptsPerPush)
            let newest = next.last.map { HubState.Head(sequence: $0.sequence, digest: $0.digest) }
            guard head.sequence > 0 else { return (next.map(\.encoded), newest, true) }
            let last = try store.receipts(after: head.sequence - 1, atMost: 1).first
            return (next.map(\.encoded), newest, last?.digest == head.digest)
        }
        guard isOwn else {
            throw HubError.refused(
                status: 409, id: "receiptsDiffer",
                detail:
                    "the hub's receipt \(head.sequence) is not this store's: nothing was pushed. \(FleetAgent.setBack)"
            )
        }
        guard !links.isEmpty else { return nil }
        let answer: [UInt8]
        do throws(HubError) {
            answer = try await client.post(
                "/fleet/v1/receipts", ReceiptChain(links).encoded(), type: "application/cbor")
        } catch {
            // As a pattern of `catch` this ends the compiler 6.3.1.
            guard case .refused(_, "receiptKeyUnknown", _) = error else { throw error }
            try await pushKeys(by: client)
            answer = try await client.post(
                "/fleet/v1/receipts", ReceiptChain(links).encoded(), type: "application/cbor")
        }
        // Another head would have the same receipts pushed without end.
        guard let taken = try? HubState.Head(JSONText(answer[...])), taken == newest else {
            throw HubError.malformed
        }
        return taken
    }

    /// The public halves of the keys that sign receipts here.
    private func pushKeys(by client: HubClient) async throws {
        let store = settings.store
        let pem = try await blocking { () throws(any Error) in
            try ReaderStore(at: store, for: .reading).receiptKeys().reduce(into: [UInt8]()) {
                $0 += try $1.pem()
            }
        }
        guard !pem.isEmpty else { return }
        _ = try await client.post("/fleet/v1/receipt-keys", pem, type: "application/x-pem-file")
    }
}

/// How many receipts the hub does not have, and why it takes none.
struct ReceiptBacklog {
    /// More receipts than these that the hub does not have are a finding: an audit would miss them. The kiosk continues, and its disk
    /// is what bounds them.
    static let mostWaiting: Int64 = 100_000
    /// The id of that finding.
    static let finding = "receiptsWaiting"

    /// The id of what the hub says of receipts; empty if they arrive.
    private(set) var fault = ""
    /// Nil if it is not known.
    private(set) var waiting: Int64?

    var isTooLong: Bool { (waiting ?? 0) > Self.mostWaiting }

    /// - Returns: Whether the hub said something else before.
    mutating func record(fault: String) -> Bool {
        defer { self.fault = fault }
        return fault != self.fault
    }

    /// - Returns: Whether the receipts became too many, or are too many no more.
    mutating func record(waiting: Int64) -> Bool {
        let wasTooLong = isTooLong
        self.waiting = waiting
        return isTooLong != wasTooLong
    }

    /// The daemon's own health, with what is to be said of receipts.
    func health(beside own: KioskHealth) -> KioskHealth {
        let waiting = waiting ?? 0
        return KioskHealth(
            lanes: own.lanes, findings: (isTooLong ? [Self.finding] : []) + own.findings,
            trustAgeHours: own.trustAgeHours,
            // Those of the last seconds are on their way.
            receiptsWaiting: fault.isEmpty && waiting <= Int64(ReceiptPusher.receiptsPerPush) ? 0 : waiting)
    }
}
