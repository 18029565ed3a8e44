/// The outputs that wait for the panel, and the output whose card is on its way.
///
/// | stage | next |
/// |---|---|
/// | waiting | `claimNext` leads to `claiming`; too late or no panel: `refused` |
/// | `claiming` | the daemon's answer within 2 s leads to `claimed`; any other answer ends the output |
/// | `claimed` | the next poll takes the card and leads to `transmitted`; too late or no channel: `unknown` |
/// | `transmitted` | the panel's next command: `delivered`; too late or no channel: `unknown` |
///
/// An output is in one stage at a time and never goes back, so that its card is sent at most once. At most one output
/// is beyond waiting.
struct OSDPOutputs: Sendable {
    /// The maximum number of waiting outputs.
    static let limit = 8

    private struct Entry {
        let output: DueOutput
        let until: ContinuousClock.Instant
    }

    private enum Stage: Equatable {
        /// The daemon's answer counts until this time.
        case claiming(until: ContinuousClock.Instant)
        case claimed, transmitted

        var isClaiming: Bool { if case .claiming = self { true } else { false } }
    }

    private var waiting: [Entry] = []
    private var current: (entry: Entry, stage: Stage)?

    /// Whether the output is already here.
    func contains(_ number: Int64) -> Bool {
        current?.entry.output.number == number || waiting.contains { $0.output.number == number }
    }

    /// Adds an output that may be sent before `until`. Returns `false` if too many outputs wait.
    mutating func add(_ output: DueOutput, until: ContinuousClock.Instant) -> Bool {
        guard waiting.count < Self.limit else { return false }
        waiting.append(Entry(output: output, until: until))
        return true
    }

    /// Begins the claim of the oldest waiting output, unless another output is on its way.
    mutating func claimNext(at now: ContinuousClock.Instant) -> DueOutput? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let entry = waiting.removeFirst()
        current = (entry, .claiming(until: min(entry.until, now + ClaimAnswer.limit)))
        return entry.output
    }

    /// Records the daemon's answer to a claim.
    ///
    /// - Parameter canSend: whether a card could be sent now.
    mutating func resolveClaim(
        of number: Int64, isGranted: Bool, canSend: Bool, at now: ContinuousClock.Instant
    ) -> [OSDPPeripheral.Action] {
        guard let (entry, stage) = current, case .claiming(let end) = stage, entry.output.number == number
        else { return [] }
        if isGranted, canSend, now < end {
            current = (entry, .claimed)
            return []
        }
        current = nil
        // The daemon has marked the output as given, although nothing was sent.
        return isGranted ? [.unknown(entry.output)] : []
    }

    /// Takes the claimed output's card for the reply to a poll. Returns whether there is one.
    mutating func takeCard() -> Bool {
        guard let (entry, stage) = current, stage == .claimed else { return false }
        current = (entry, .transmitted)
        return true
    }

    /// Records that the panel has received the last reply.
    mutating func acknowledge() -> [OSDPPeripheral.Action] {
        guard let (entry, stage) = current, stage == .transmitted else { return [] }
        current = nil
        return [.delivered(entry.output)]
    }

    /// Records that the panel has started again, or that the channel has ended. A claim is still answered later.
    mutating func loseChannel() -> [OSDPPeripheral.Action] {
        guard let (entry, stage) = current, !stage.isClaiming else { return [] }
        current = nil
        return [.unknown(entry.output)]
    }

    /// Records that the panel is silent.
    mutating func losePanel() -> [OSDPPeripheral.Action] {
        defer { waiting = [] }
        return loseChannel() + waiting.map { .refused($0.output) }
    }

    /// Ends the outputs whose time is over.
    ///
    /// - Returns: the reports, and whether one of these outputs was already transmitted.
    mutating func expire(
        at now: ContinuousClock.Instant
    ) -> (actions: [OSDPPeripheral.Action], wasTransmitted: Bool) {
        var actions = waiting.filter { now >= $0.until }.map { OSDPPeripheral.Action.refused($0.output) }
        waiting.removeAll { now >= $0.until }
        guard let (entry, stage) = current, !stage.isClaiming, now >= entry.until else {
            return (actions, false)
        }
        current = nil
        actions.append(.unknown(entry.output))
        return (actions, stage == .transmitted)
    }

    /// The time at which the next output expires.
    var deadline: ContinuousClock.Instant? {
        let current = current.flatMap { $0.stage.isClaiming ? nil : $0.entry.until }
        return (waiting.map(\.until) + [current].compactMap { $0 }).min()
    }
}
