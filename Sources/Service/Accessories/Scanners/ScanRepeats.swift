/// The memory of the last codes of a scanner. A scanner sends a code again and again while the phone stays in view.
///
/// The time counts from the first of the equal codes, not from the last. A phone that is held still is therefore read
/// again every two seconds. This matters if it was shown before the lane was ready for it.
struct ScanRepeats: Sendable, RedactedScan {
    private struct Sighting: Sendable {
        let code: [UInt8]
        let time: Duration
    }

    /// The time within which an equal code is a repetition.
    static let window = Duration.seconds(2)
    /// The number of codes that are kept: more than one, since two phones may be in view.
    private static let capacity = 4

    private var sightings: [Sighting] = []

    /// Records a code that was read at `now`, a time since any fixed start.
    ///
    /// - Returns: whether the code is a repetition.
    mutating func isRepeat(_ code: [UInt8], at now: Duration) -> Bool {
        sightings.removeAll { now - $0.time >= Self.window }
        guard !sightings.contains(where: { $0.code == code }) else { return true }
        if sightings.count == Self.capacity { sightings.removeFirst() }
        sightings.append(Sighting(code: code, time: now))
        return false
    }
}
