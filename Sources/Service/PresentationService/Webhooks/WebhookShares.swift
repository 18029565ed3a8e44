/// The deliveries in progress, divided into one share for each caller and origin. A receiver that does not
/// answer uses up only the share of its own caller and origin.
///
/// A webhook is the JSON of a finished presentation. A webhook that exceeds the limit of its share stays in
/// the store. After a delivery has ended, a refill reads such webhooks from the store: `beginRefill` says how
/// many to read, and `finishRefill` says which of them to deliver. `WebhookQueue` keeps the only value of
/// this type behind a mutex. The type does no I/O.
struct WebhookShares {
    /// A caller and the origin of the receiver.
    struct Key: Hashable, Sendable {
        let caller: String
        let origin: WebhookOrigin
    }

    /// The deliveries of one caller to one origin.
    private struct Share {
        /// The presentations whose webhooks are being delivered.
        var underway: Set<PresentationID> = []
        /// Whether the store may have further undelivered webhooks of this caller and origin.
        var hasMore = false
        /// Whether undelivered webhooks are being read from the store.
        var isRefilling = false
        /// The deliveries that ended during a refill. The refill may have read their webhooks as undelivered
        /// before the deliveries ended, and must not deliver them again.
        var endedMeanwhile: Set<PresentationID> = []
        /// The deliveries that ended and that the store still lists as undelivered, because it refused the
        /// record.
        var unrecorded: Set<PresentationID> = []
        /// Whether the last attempt could not reach the receiver.
        var isDown = false
        /// The number of times that the receiver became reachable after a failure.
        var recoveries = 0
        /// The continuations that wake the deliveries that wait for their next attempt.
        var pauses: [PresentationID: AsyncStream<Void>.Continuation] = [:]

        var isIdle: Bool { underway.isEmpty && !hasMore && !isRefilling && unrecorded.isEmpty }
    }

    /// The maximum number of deliveries in progress. A share without deliveries may exceed this limit by one
    /// delivery.
    static let most = 256
    /// The maximum number of deliveries in progress of one share.
    static let mostOfOneShare = 16
    /// The maximum number of ended deliveries of one share that the store has not recorded. Further webhooks
    /// stay in the store until it accepts writes.
    static let mostUnrecorded = 64

    private var shares: [Key: Share] = [:]
    private var total = 0

    /// Begins the delivery of a presentation's webhook, if the limits permit another delivery.
    ///
    /// - Returns: false if the limits permit no further delivery now, or if the webhook is being delivered
    ///   already. The webhook is then read from the store later, unless it was delivered.
    mutating func enter(_ id: PresentationID, of key: Key) -> Bool {
        var share = shares[key] ?? Share()
        defer { shares[key] = share }
        // A refill may have read the same webhook from the store, and may have begun its delivery, before
        // this function is called.
        guard room(in: share) > 0, share.underway.insert(id).inserted else {
            share.hasMore = true
            return false
        }
        total += 1
        return true
    }

    /// The number of further deliveries that a share may begin now.
    private func room(in share: Share) -> Int {
        let free =
            min(Self.mostOfOneShare, Self.mostUnrecorded - share.unrecorded.count) - share.underway.count
        // A share without deliveries may begin one even if the other shares use up the common limit.
        return min(free, max(Self.most - total, share.underway.isEmpty ? 1 : 0))
    }

    /// Removes a delivery that has ended, so that its share may begin another.
    ///
    /// - Parameter isRecorded: false if the store still lists the webhook as undelivered. The share remembers
    ///   the presentation until `recorded` is called.
    /// - Returns: whether to read further webhooks of this caller and origin from the store.
    mutating func leave(_ id: PresentationID, of key: Key, isRecorded: Bool = true) -> Bool {
        guard var share = shares[key], share.underway.remove(id) != nil else { return false }
        total -= 1
        if !isRecorded { share.unrecorded.insert(id) }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    /// Records that the store has accepted the record of an ended delivery.
    ///
    /// - Returns: whether to read further webhooks of this caller and origin from the store.
    mutating func recorded(_ id: PresentationID, of key: Key) -> Bool {
        guard var share = shares[key], share.unrecorded.remove(id) != nil else { return false }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    // MARK: Webhooks in the store

    /// Records that the store has undelivered webhooks of this caller and origin.
    mutating func expectMore(of key: Key) { shares[key, default: Share()].hasMore = true }

    /// Begins a refill.
    ///
    /// - Returns: the number of undelivered webhooks to read from the store, oldest first. The number
    ///   includes the webhooks in progress and the webhooks whose delivery is not recorded, which the store
    ///   still lists. `nil` if no refill is needed or possible.
    mutating func beginRefill(of key: Key) -> Int? {
        guard var share = shares[key], share.hasMore, !share.isRefilling, room(in: share) > 0 else {
            return nil
        }
        share.isRefilling = true
        share.hasMore = false
        share.endedMeanwhile = []
        shares[key] = share
        // One webhook more than the share has room for is read. If the store returns as many as were
        // requested, it may have further webhooks.
        return share.underway.count + share.unrecorded.count + room(in: share) + 1
    }

    /// Ends a refill, and begins the deliveries of the webhooks that the store returned, as far as the limits
    /// permit.
    ///
    /// - Parameters:
    ///   - found: the presentations whose undelivered webhooks the store returned; `nil` if the store could
    ///     not be read.
    ///   - asked: the number of webhooks that were requested from the store. If `found` has as many, the
    ///     store may have more.
    /// - Returns: the presentations whose webhooks are to be delivered.
    mutating func finishRefill(of key: Key, found: [PresentationID]?, asked: Int) -> Set<PresentationID> {
        guard var share = shares[key] else { return [] }
        share.isRefilling = false
        // If the store could not be read, it may have any number of webhooks.
        if found.map({ $0.count >= asked }) ?? true { share.hasMore = true }
        var entered: Set<PresentationID> = []
        // These webhooks are being delivered, or were delivered and must not be delivered again.
        let known = share.underway.union(share.endedMeanwhile).union(share.unrecorded)
        for id in found ?? [] where !known.contains(id) {
            guard room(in: share) > 0 else {
                share.hasMore = true
                break
            }
            share.underway.insert(id)
            total += 1
            entered.insert(id)
        }
        share.endedMeanwhile = []
        shares[key] = share.isIdle ? nil : share
        return entered
    }

    // MARK: Recovery of receivers

    /// The number of times that the receiver became reachable after a failure. A waiting delivery compares
    /// the number with an earlier value to notice a recovery.
    func recoveries(of key: Key) -> Int { shares[key]?.recoveries ?? 0 }

    /// Records that the receiver could not be reached.
    mutating func failed(_ key: Key) { shares[key]?.isDown = true }

    /// Records that the receiver accepted a delivery. If the receiver could not be reached before, the
    /// waiting deliveries are woken before their pauses end, so that each makes its next attempt.
    mutating func succeeded(_ key: Key) {
        guard shares[key]?.isDown == true else { return }
        shares[key]?.isDown = false
        shares[key]?.recoveries += 1
        for wake in shares[key]?.pauses.values ?? [:].values { wake.yield() }
    }

    /// Registers a waiting delivery, which is woken when its receiver answers again.
    ///
    /// - Parameter recoveries: how often the receiver had become reachable again before
    ///   the failed attempt. If the number has grown since, the delivery is woken immediately.
    mutating func pause(
        _ id: PresentationID, of key: Key, since recoveries: Int, _ wake: AsyncStream<Void>.Continuation
    ) {
        shares[key]?.pauses[id] = wake
        if shares[key]?.recoveries != recoveries { wake.yield() }
    }

    /// Removes a waiting delivery.
    mutating func resume(_ id: PresentationID, of key: Key) { shares[key]?.pauses[id] = nil }
}
