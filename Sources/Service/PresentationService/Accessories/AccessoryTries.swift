internal import Accessories

/// The tries of accessories that are in progress, and the times of the recent ones.
///
/// A try passes through these phases:
/// 1. `begin`: its event goes to the program of the accessory, once.
/// 2. `give`: the program is about to close the contact. This is permitted once, and only for
///    `AccessoryTry.beginTime`. A scan has no such phase.
/// 3. `finish`: the program has reported the end. `abandon`: nobody reports it any more.
///
/// An accessory has at most one try at a time, and at most `most` within `window`. The tries are in memory only, so
/// none outlives the run of the daemon in which it began.
/// `PresentationCoordinator` owns the only value. The value reads no clock and starts no task.
struct AccessoryTries: Sendable {
    /// The maximum number of tries of an accessory within `window`.
    static let most = 6
    static let window = Duration.seconds(60)

    private struct Entry: Sendable {
        let attempt: AccessoryTry
        /// The key of the stream that received the event.
        let stream: Int
        /// The instant from which the contact may not be closed any more.
        let beginEnd: ContinuousClock.Instant
        var isGiven = false
        let results: AsyncStream<TryResult>.Continuation
    }

    private var entries: [Int64: Entry] = [:]
    /// The instants at which the recent tries of each accessory began, earliest first.
    private var begun: [String: [ContinuousClock.Instant]] = [:]

    /// Begins a try. The caller sends the event.
    ///
    /// - Returns: a stream with the result, which ends without one if the try is abandoned.
    /// - Throws: `tryRefused`, or `tooManyTries`.
    mutating func begin(
        _ attempt: AccessoryTry, by stream: Int, at now: ContinuousClock.Instant
    ) throws(PresentationServiceError) -> AsyncStream<TryResult> {
        guard !entries.values.contains(where: { $0.attempt.accessory == attempt.accessory }) else {
            throw .tryRefused(.inProgress)
        }
        // The accessories of earlier configurations are forgotten here too.
        begun = begun.mapValues { $0.filter { $0 > now - Self.window } }.filter { !$0.value.isEmpty }
        let recent = begun[attempt.accessory] ?? []
        if recent.count >= Self.most, let first = recent.first {
            let wait = (first + Self.window - now).components.seconds + 1
            throw .tooManyTries(retryAfter: max(1, wait))
        }
        begun[attempt.accessory] = recent + [now]
        let (results, continuation) = AsyncStream<TryResult>.makeStream(bufferingPolicy: .bufferingOldest(1))
        entries[attempt.number] = Entry(
            attempt: attempt, stream: stream, beginEnd: now + AccessoryTry.beginTime, results: continuation)
        return results
    }

    /// The try with this number, if it belongs to the accessory and its event went to this stream.
    func attempt(_ number: Int64, of accessory: String, by stream: Int) -> AccessoryTry? {
        guard let entry = entries[number], entry.attempt.accessory == accessory, entry.stream == stream else {
            return nil
        }
        return entry.attempt
    }

    /// Permits the program to close the contact, once.
    ///
    /// - Returns: false if the try is no pulse, over its time, or given already.
    mutating func give(_ number: Int64, at now: ContinuousClock.Instant) -> Bool {
        guard let entry = entries[number], entry.attempt.action == .pulse, !entry.isGiven,
            now < entry.beginEnd
        else { return false }
        entries[number]?.isGiven = true
        return true
    }

    /// Ends a try with the result that its program reports.
    ///
    /// - Returns: false if the result does not belong to the action, or the contact was closed without permission, or
    ///   not closed with it.
    mutating func finish(_ number: Int64, with result: TryResult) -> Bool {
        guard let entry = entries[number], result.fits(entry.attempt.action) else { return false }
        if entry.attempt.action == .pulse {
            guard entry.isGiven == (result != .refused) else { return false }
        }
        entry.results.yield(result)
        abandon(number)
        return true
    }

    // MARK: Abandoned tries

    /// Ends a try without a result, because its time is over.
    mutating func abandon(_ number: Int64) {
        entries.removeValue(forKey: number)?.results.finish()
    }

    /// Ends the tries of a stream without a result, because the stream has ended.
    mutating func abandon(by stream: Int) {
        for (number, entry) in entries where entry.stream == stream { abandon(number) }
    }

    /// Ends the tries of these accessories without a result, because the accessories were changed or removed.
    mutating func abandon(ofAccessories names: Set<String>) {
        for (number, entry) in entries where names.contains(entry.attempt.accessory) { abandon(number) }
    }

    /// Ends all tries without a result.
    mutating func abandonAll() {
        for number in entries.keys { abandon(number) }
    }
}
