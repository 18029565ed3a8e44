/// The end of an output that was due. The raw values are the words of the HTTP API.
package enum OutputEnd: String, CaseIterable, Sendable {
    /// The device acted.
    case done
    /// The device may have acted.
    case unknown
    /// The device did not act.
    case refused
}

extension OutputRule {
    /// Returns whether a device may act on an output.
    ///
    /// The daemon announces only outputs that its rule accepts. The program that has the device checks the
    /// outcome and the test again, so that a mistake in one of the two opens nothing. Engagement and method
    /// are not in `DueOutput`: the daemon alone checks them.
    ///
    /// - Parameters:
    ///   - rule: the rule of the output's accessory.
    ///   - isTrial: whether the accessory may act on test documents.
    package static func acts(_ output: DueOutput, rule: OutputRule, isTrial: Bool) -> Bool {
        rule.outcomes.contains(output.outcome) && (!output.isTest || isTrial)
    }
}
