internal import JSON
internal import Logging
internal import ReaderStore

extension FleetAgent {
    /// The most receipts of one push; one has some hundred bytes.
    static let receiptsPerPush = 256
    /// What to look for if the hub has other receipts than the kiosk.
    package static let setBack =
        "See whether the kiosk's store was restored from a backup, and Receipts in fleet.md"

    /// Pushes receipts in their order until it is cancelled: each push begins after the last one that the hub has committed. A stopped
    /// kiosk does so too.
    func followReceipts() async {
        var head: HubState.Head?
        // The last answer of a hub; it is kept while none answers.
        var known: HubState.Head?
        var attempt = 0
        while !Task.isCancelled {
            do {
                let client = try await enrolledClient()
                if head == nil {
                    if known == nil { known = try await state(by: client).receipts }
                    // By them the hub knows whether this computer continues, or has the name of another one.
                    try await pushKeys(by: client)
                    head = try await state(by: client).receipts
                    known = head
                }
                while let next = try await push(after: head, by: client) {
                    head = next
                    known = next
                }
                attempt = 0
                receipts(fault: "")
                guard await rest(for: settings.receiptInterval * Double.random(in: 0.5...1.5)) else { return }
            } catch {
                head = nil
                let refusal = error as? HubError
                let why = refusal?.explanation ?? (error as? ReaderStoreError)?.explanation
                log.warning("receipts wait", metadata: ["why": "\(why ?? "the receipt keys cannot be read")"])
                if let known { try? await countWaiting(after: known) }
                if let refusal { await note(refusal) }
                // A revoked kiosk asks as seldom as for its state.
                guard await refusal?.isRevocation == true ? restUntilPoll() : rest(after: attempt) else {
                    return
                }
                attempt += 1
            }
        }
    }

    /// Notes why the hub takes no receipts.
    private func note(_ refusal: HubError) async {
        await stop(after: refusal)
        if case .refused(_, let id, _) = refusal, id.hasPrefix("receipt") { receipts(fault: id) }
    }

    private func countWaiting(after head: HubState.Head) async throws(ReaderStoreError) {
        let store = settings.store
        let last = try await blocking { () throws(ReaderStoreError) in
            try ReaderStore(at: store, for: .reading).lastReceipt()?.sequence
        }
        receipts(waiting: max(0, (last ?? 0) - head.sequence))
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
                    "the hub's receipt \(head.sequence) is not this store's: nothing was pushed. \(Self.setBack)"
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
