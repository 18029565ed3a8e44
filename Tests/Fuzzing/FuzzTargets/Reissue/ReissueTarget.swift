internal import MdocVerification
internal import Reports

/// A presentation that is changed before its issuer and its phone sign it, so that the change reaches every check behind the
/// signatures. Some changes are made after the signatures.
func fuzzReissuedResponse(_ input: ArraySlice<UInt8>) {
    let mutant = ReissueMutant(input)
    for violation in mutant.violations { fatalError("\(violation)") }
}

/// The presentation that a script makes of a scenario and up to eight edits, with the judgement of the reader and of the oracle.
package struct ReissueMutant {
    private static let longestScript = 512
    private static let mostEdits = 8

    package let isVerified: Bool
    /// The demands of `ReissueOracle` that the report does not meet.
    package let violations: [String]

    package init(_ input: ArraySlice<UInt8>) {
        self.init(input, issued: input)
    }

    /// The report on the response of one script, held against the documents of another: where they differ, demands fail.
    ///
    /// - Parameters:
    ///   - input: the script of the response that is verified.
    ///   - issued: the script of the documents that the oracle takes for those that were issued.
    package init(_ input: ArraySlice<UInt8>, issued: ArraySlice<UInt8>) {
        let sent = Self.presentation(input)
        let claimed = input == issued ? sent : Self.presentation(issued)
        guard let report = sent.scenario.report(on: sent.response.bytes) else {
            (isVerified, violations) = (false, [])
            return
        }
        var oracle = ReissueOracle(claimed.scenario, claimed.response)
        oracle.checkElements(of: report)
        oracle.checkAnswers(of: report)
        if claimed.isHolders { oracle.checkGain(of: report, over: HonestAnswer.of(claimed.scenario)) }
        // Where the script itself has the holder's name, the name may stand anywhere.
        if input.firstRange(of: ReissueOracle.canary) == nil { oracle.checkTexts(of: report) }
        isVerified = report.verdict == .verified
        violations = oracle.violations.map { "\($0)" }
    }

    /// A script's scenario and response, and whether no edit is the issuer's.
    private static func presentation(
        _ input: ArraySlice<UInt8>
    ) -> (scenario: ReissueScenario, response: ReissuedResponse, isHolders: Bool) {
        var script = ReissueScript(input.prefix(longestScript))
        let scenario = ReissueScenario(&script)
        var steps: [ReissueStep] = []
        while !script.isSpent, steps.count < mostEdits { steps.append(ReissueStep(&script)) }
        return (scenario, scenario.response(steps), !steps.contains(where: \.isIssuers))
    }
}
