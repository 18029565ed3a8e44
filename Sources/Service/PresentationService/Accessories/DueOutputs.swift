internal import Accessories

/// The outputs of this run of the daemon that an accessory may give or has given, in memory.
///
/// The store has the record that an output is given at most once. This value adds what the store does not know:
/// the deadline by the monotonic clock, and the stream of the program that gave an output. An output passes
/// through these phases:
/// 1. `insert`: the store has recorded the output as due, and its accessory was notified.
/// 2. `beginGiving`: the store is asked to record that the output is given. Nobody else can give it meanwhile.
/// 3. `endGiving`: the store has recorded it, and the accessory acts. `cancelGiving`: the store refused, and the
///   output is due again.
/// 4. `remove`: the output is settled.
///
/// An output of an earlier run is not in this value, and so cannot be given.
/// `PresentationCoordinator` owns the only value. The value reads no clock and starts no task.
struct DueOutputs: Sendable {
    private enum Phase: Equatable, Sendable {
        case due
        case giving
        /// The program with this stream has given the output.
        case given(by: Int)
    }

    private struct Entry: Sendable {
        let output: DueOutput
        let deadline: ContinuousClock.Instant
        var phase = Phase.due
    }

    private var entries: [Int64: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Whether an output of this lane is due, or was given and has not ended.
    func hasOutput(atLane name: String) -> Bool { entries.values.contains { $0.output.lane == name } }

    /// Adds an output that the store has recorded as due.
    mutating func insert(_ output: DueOutput, until deadline: ContinuousClock.Instant) {
        entries[output.number] = Entry(output: output, deadline: deadline)
    }

    /// The output with this number, if it belongs to the accessory.
    func output(_ number: Int64, of accessory: String) -> DueOutput? {
        entries[number].flatMap { $0.output.accessory == accessory ? $0.output : nil }
    }

    /// Whether the time of an output is over, or the output is unknown.
    func isOver(_ number: Int64, at now: ContinuousClock.Instant) -> Bool {
        entries[number].map { now >= $0.deadline } ?? true
    }

    /// Reserves an output that is due, so that only one program can give it.
    ///
    /// - Returns: false if the output is unknown, over its time, or was given already.
    mutating func beginGiving(_ number: Int64, at now: ContinuousClock.Instant) -> Bool {
        guard entries[number]?.phase == .due, !isOver(number, at: now) else { return false }
        entries[number]?.phase = .giving
        return true
    }

    /// Makes an output due again, because the store could not record that it is given.
    mutating func cancelGiving(_ number: Int64) {
        if entries[number]?.phase == .giving { entries[number]?.phase = .due }
    }

    /// Records that the program with this stream has given an output.
    mutating func endGiving(_ number: Int64, by stream: Int) {
        if entries[number]?.phase == .giving { entries[number]?.phase = .given(by: stream) }
    }

    /// Whether the program with this stream has given the output and has not reported its end.
    func isGiven(_ number: Int64, by stream: Int) -> Bool { entries[number]?.phase == .given(by: stream) }

    /// Removes an output that was settled.
    mutating func remove(_ number: Int64) {
        entries[number] = nil
    }

    /// Removes an output that nobody has given.
    ///
    /// - Returns: false if the output is unknown, or was given, or is being given.
    mutating func removeDue(_ number: Int64) -> Bool {
        guard entries[number]?.phase == .due else { return false }
        entries[number] = nil
        return true
    }

    /// Removes the outputs that nobody has given and whose accessory is in a set.
    ///
    /// - Returns: the numbers of the removed outputs.
    mutating func removeDue(ofAccessories names: Set<String>) -> [Int64] {
        let numbers = entries.filter { $1.phase == .due && names.contains($1.output.accessory) }.map(\.key)
        for number in numbers { entries[number] = nil }
        return numbers.sorted()
    }

    /// Removes the outputs that a program gave, because its stream has ended.
    ///
    /// - Returns: the removed outputs.
    mutating func removeGiven(by stream: Int) -> [DueOutput] {
        let given = entries.values.filter { $0.phase == .given(by: stream) }.map(\.output)
        for output in given { entries[output.number] = nil }
        return given.sorted { $0.number < $1.number }
    }
}
