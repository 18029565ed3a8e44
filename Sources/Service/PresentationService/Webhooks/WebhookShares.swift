/// The webhooks that are on their way, with a share of the places for each caller and origin: a receiver that does not answer
/// holds its own share alone. The store keeps an end for which its share has no room, and the share takes it up again once there is.
struct WebhookShares {
    /// A caller and the origin of its receiver.
    struct Key: Hashable, Sendable {
        let caller: String
        let origin: WebhookOrigin
    }

    private struct Share {
        var underway: Set<PresentationID> = []
        /// Whether the store may have ends for which there was no room.
        var hasMore = false
        var isRefilling = false
        /// The deliveries that ended during a refill, whose ends the store may have named as undelivered before.
        var endedMeanwhile: Set<PresentationID> = []
        /// The deliveries that ended while the store took no write: it still names their ends as undelivered.
        var unrecorded: Set<PresentationID> = []
        /// Whether the receiver could not be reached last.
        var isDown = false
        /// How often the receiver has answered again.
        var recoveries = 0
        /// Wakes the deliveries that wait for their next attempt.
        var pauses: [PresentationID: AsyncStream<Void>.Continuation] = [:]

        var isIdle: Bool { underway.isEmpty && !hasMore && !isRefilling && unrecorded.isEmpty }
    }

    /// How many may be on their way at once. A share that has none may have one all the same.
    static let most = 256
    /// How many of one share may be on their way at once.
    static let mostOfOneShare = 16
    /// How many deliveries of one share may end without the store's record. Further ends stay in the store until it takes writes.
    static let mostUnrecorded = 64

    private var shares: [Key: Share] = [:]
    private var total = 0

    /// Gives an end a place. False if no place is free: then the share asks the store later.
    mutating func enter(_ id: PresentationID, of key: Key) -> Bool {
        var share = shares[key] ?? Share()
        defer { shares[key] = share }
        guard room(in: share) > 0, share.underway.insert(id).inserted else {
            share.hasMore = true
            return false
        }
        total += 1
        return true
    }

    private func room(in share: Share) -> Int {
        let free =
            min(Self.mostOfOneShare, Self.mostUnrecorded - share.unrecorded.count) - share.underway.count
        return min(free, max(Self.most - total, share.underway.isEmpty ? 1 : 0))
    }

    /// Gives the place of a delivery back.
    ///
    /// - Parameter isRecorded: false if the store still names the end as undelivered. It is remembered until `recorded`.
    /// - Returns: whether the store is to be asked for further ends of the share.
    mutating func leave(_ id: PresentationID, of key: Key, isRecorded: Bool = true) -> Bool {
        guard var share = shares[key], share.underway.remove(id) != nil else { return false }
        total -= 1
        if !isRecorded { share.unrecorded.insert(id) }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    /// The store has recorded the end of a delivery.
    ///
    /// - Returns: whether the store is to be asked for further ends of the share.
    mutating func recorded(_ id: PresentationID, of key: Key) -> Bool {
        guard var share = shares[key], share.unrecorded.remove(id) != nil else { return false }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    // MARK: The store's ends

    /// Records that the store has ends of the share.
    mutating func expectMore(of key: Key) { shares[key, default: Share()].hasMore = true }

    /// Begins to fill the share from the store.
    ///
    /// - Returns: how many ends to ask for, from the oldest on: those that are on their way, or not recorded, are among them. Nil if there is nothing to do.
    mutating func beginRefill(of key: Key) -> Int? {
        guard var share = shares[key], share.hasMore, !share.isRefilling, room(in: share) > 0 else {
            return nil
        }
        share.isRefilling = true
        share.hasMore = false
        share.endedMeanwhile = []
        shares[key] = share
        return share.underway.count + share.unrecorded.count + room(in: share) + 1
    }

    /// Gives places to the ends that the store named.
    ///
    /// - Parameters:
    ///   - found: nil if the store could not be read.
    ///   - asked: the number of ends that the store was asked for: it may have more than that.
    /// - Returns: the ends to deliver.
    mutating func finishRefill(of key: Key, found: [PresentationID]?, asked: Int) -> Set<PresentationID> {
        guard var share = shares[key] else { return [] }
        share.isRefilling = false
        if found.map({ $0.count >= asked }) ?? true { share.hasMore = true }
        var entered: Set<PresentationID> = []
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

    // MARK: Receivers that come back

    /// How often the receiver of a share has answered again, by which a pause notices a recovery before it.
    func recoveries(of key: Key) -> Int { shares[key]?.recoveries ?? 0 }

    /// The receiver of a share could not be reached.
    mutating func failed(_ key: Key) { shares[key]?.isDown = true }

    /// The receiver of a share accepted a delivery. If it could not be reached before, the deliveries that wait are tried at once.
    mutating func succeeded(_ key: Key) {
        guard shares[key]?.isDown == true else { return }
        shares[key]?.isDown = false
        shares[key]?.recoveries += 1
        for wake in shares[key]?.pauses.values ?? [:].values { wake.yield() }
    }

    /// Has a delivery that waits woken when its receiver answers again.
    ///
    /// - Parameter recoveries: as they were before the attempt that failed.
    mutating func pause(
        _ id: PresentationID, of key: Key, since recoveries: Int, _ wake: AsyncStream<Void>.Continuation
    ) {
        shares[key]?.pauses[id] = wake
        if shares[key]?.recoveries != recoveries { wake.yield() }
    }

    mutating func resume(_ id: PresentationID, of key: Key) { shares[key]?.pauses[id] = nil }
}
