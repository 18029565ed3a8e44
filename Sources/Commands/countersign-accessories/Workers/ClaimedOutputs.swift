internal import Accessories

/// The machine of an output that is given in one go, such as a text: one output at a time, and only after the daemon has
/// marked it as given.
struct ClaimedOutputs: Sendable {
    enum Action: Equatable, Sendable {
        /// Ask the daemon to mark the output as given.
        case claim(DueOutput)
        /// Give the output now, once.
        case give(DueOutput)
        case finish(DueOutput, OutputEnd)
    }

    private let rule: OutputRule
    private let isTrial: Bool
    private var claiming: (output: DueOutput, until: Duration)?

    init(rule: OutputRule, isTrial: Bool) {
        self.rule = rule
        self.isTrial = isTrial
    }

    /// The time at which `expire` has to be called.
    var deadline: Duration? { claiming?.until }

    /// Receives an output that is due.
    ///
    /// - Parameter isReady: whether the device can give it now.
    mutating func due(_ output: DueOutput, isReady: Bool, at now: Duration) -> [Action] {
        guard claiming == nil, isReady, OutputRule.acts(output, rule: rule, isTrial: isTrial) else {
            return [.finish(output, .refused)]
        }
        claiming = (output, now + min(ClaimAnswer.limit, rule.valid))
        return [.claim(output)]
    }

    /// Receives the daemon's answer to a claim.
    mutating func claimed(_ answer: ClaimAnswer, output number: Int64, at now: Duration) -> [Action] {
        guard let (output, until) = claiming, output.number == number else { return [] }
        claiming = nil
        switch answer {
        case .given: return now < until ? [.give(output)] : [.finish(output, .unknown)]
        case .notDue: return []
        // The daemon may have marked the output as given.
        case .failed: return [.finish(output, .unknown)]
        }
    }

    /// Gives up a claim whose answer is late. The daemon may have marked the output as given.
    mutating func expire(at now: Duration) -> [Action] {
        guard let (output, until) = claiming, now >= until else { return [] }
        claiming = nil
        return [.finish(output, .unknown)]
    }

    /// Gives up a claim because the device is gone or the program ends.
    mutating func lost() -> [Action] {
        guard let (output, _) = claiming else { return [] }
        claiming = nil
        return [.finish(output, .unknown)]
    }
}
