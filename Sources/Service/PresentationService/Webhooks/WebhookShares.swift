/// The deliveries in progress, divided into one share for each caller and origin. A receiver that does not
/// answer uses up only the share of its own caller and origin.
///
/// What is delivered is an *end*: the JSON of a finished presentation. An end that exceeds the limit of its
/// share stays in the store. After a delivery has ended, a refill asks the store for such ends: `beginRefill`
/// says how many to read, and `finishRefill` says which of them to deliver. `WebhookQueue` owns the only
/// value, behind a mutex; the value does no I/O.
struct WebhookShares {
    /// A caller and the origin of the receiver.
    struct Key: Hashable, Sendable {
        let caller: String
        let origin: WebhookOrigin
    }

    /// The deliveries of one caller to one origin.
    private struct Share {
        /// The presentations whose ends are being delivered.
        var underway: Set<PresentationID> = []
        /// Whether the store may have further undelivered ends of this caller and origin.
        var hasMore = false
        /// Whether the store is being asked for undelivered ends.
        var isRefilling = false
        /// The deliveries that ended during a refill. A refill that read the store earlier found the
        /// delivery named as undelivered, and must not make the delivery again.
        var endedMeanwhile: Set<PresentationID> = []
        /// The deliveries that ended and that the store still names as undelivered, because the store refused
        /// to record their ends.
        var unrecorded: Set<PresentationID> = []
        /// Whether the last attempt could not reach the receiver.
        var isDown = false
        /// The number of times that the receiver could be reached again.
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
    /// The maximum number of ended deliveries of one share that the store has not recorded. Further ends stay
    /// in the store until it accepts writes.
    static let mostUnrecorded = 64

    private var shares: [Key: Share] = [:]
    private var total = 0

    /// Begins the delivery of a presentation's end, if the limits permit another delivery.
    ///
    /// - Returns: false if the limits permit no further delivery now. The end is then read from the store
    ///   later.
    mutating func enter(_ id: PresentationID, of key: Key) -> Bool {
        var share = shares[key] ?? Share()
        defer { shares[key] = share }
        // The same delivery can be asked for twice: a refill reads the ends in the store, and finds there an
        // end whose delivery has begun but is not recorded.
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
    /// - Parameter isRecorded: false if the store still names the webhook as undelivered. The share remembers
    ///   the presentation until `recorded`.
    /// - Returns: whether to read further webhooks of this caller and origin from the store.
    mutating func leave(_ id: PresentationID, of key: Key, isRecorded: Bool = true) -> Bool {
        guard var share = shares[key], share.underway.remove(id) != nil else { return false }
        total -= 1
        if !isRecorded { share.unrecorded.insert(id) }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    /// Records that the store has accepted the end of a delivery.
    ///
    /// - Returns: whether to read further webhooks of this caller and origin from the store.
    mutating func recorded(_ id: PresentationID, of key: Key) -> Bool {
        guard var share = shares[key], share.unrecorded.remove(id) != nil else { return false }
        if share.isRefilling { share.endedMeanwhile.insert(id) }
        shares[key] = share.isIdle ? nil : share
        return share.hasMore && !share.isRefilling
    }

    // MARK: The store's ends

    /// Records that the store has undelivered webhooks of this caller and origin.
    mutating func expectMore(of key: Key) { shares[key, default: Share()].hasMore = true }

    /// Begins a refill.
    ///
    /// - Returns: the number of undelivered ends to read from the store, oldest first. The number includes
    ///   the ends in progress and those not recorded, which the store still names. `nil` if no refill is
    ///   needed or possible.
    mutating func beginRefill(of key: Key) -> Int? {
        guard var share = shares[key], share.hasMore, !share.isRefilling, room(in: share) > 0 else {
            return nil
        }
        share.isRefilling = true
        share.hasMore = false
        share.endedMeanwhile = []
        shares[key] = share
        // One end more than fits is asked for. If the store returns as many, it may have further ends.
        return share.underway.count + share.unrecorded.count + room(in: share) + 1
    }

    /// Ends a refill, and begins the deliveries of the ends that the store named, as far as the limits
    /// permit.
    ///
    /// - Parameters:
    ///   - found: the ends that the store named; `nil` if the store could not be read.
    ///   - asked: the number of ends that were asked for. If `found` has as many, the store may have more.
    /// - Returns: the ends to deliver.
    mutating func finishRefill(of key: Key, found: [PresentationID]?, asked: Int) -> Set<PresentationID> {
        guard var share = shares[key] else { return [] }
        share.isRefilling = false
        // If the store could not be read, it may have any number of ends.
        if found.map({ $0.count >= asked }) ?? true { share.hasMore = true }
        var entered: Set<PresentationID> = []
        // These ends are being delivered, or were delivered and must not be delivered again.
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

    /// The number of times that the receiver could be reached again. A pause compares the number with an
    /// earlier value to notice a recovery.
    func recoveries(of key: Key) -> Int { shares[key]?.recoveries ?? 0 }

    /// Records that the receiver could not be reached.
    mutating func failed(_ key: Key) { shares[key]?.isDown = true }

    /// Records that the receiver accepted a delivery. If the receiver could not be reached before, the
    /// waiting deliveries are woken, so that each makes its next attempt at once.
    mutating func succeeded(_ key: Key) {
        guard shares[key]?.isDown == true else { return }
        shares[key]?.isDown = false
        shares[key]?.recoveries += 1
        for wake in shares[key]?.pauses.values ?? [:].values { wake.yield() }
    }

    /// Registers a waiting delivery, which is woken when its receiver answers again.
    ///
    /// - Parameter recoveries: the number of times, before the failed attempt, that the receiver could be
    ///   reached again. If the number has grown since, the delivery is woken at once.
    mutating func pause(
        _ id: PresentationID, of key: Key, since recoveries: Int, _ wake: AsyncStream<Void>.Continuation
    ) {
        shares[key]?.pauses[id] = wake
        if shares[key]?.recoveries != recoveries { wake.yield() }
    }

    /// Removes a waiting delivery.
    mutating func resume(_ id: PresentationID, of key: Key) { shares[key]?.pauses[id] = nil }
}
