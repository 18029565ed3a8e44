import Accessories
import Testing

@Suite("The rule of an output")
struct OutputRuleTests {
    @Test("A device acts on the outcomes of its rule, and on a test document only as a trial")
    func table() {
        for outcomes in [[.allow], [.deny, .failed], [], Set(AccessoryOutcome.allCases)]
            as [Set<AccessoryOutcome>]
        {
            var rule = OutputRule()
            rule.outcomes = outcomes
            for outcome in AccessoryOutcome.allCases {
                for (isTest, isTrial, isAllowed) in [
                    (false, false, true), (false, true, true), (true, true, true), (true, false, false),
                ] {
                    let output = OutputSamples.output(outcome: outcome, isTest: isTest)
                    #expect(
                        OutputRule.acts(output, rule: rule, isTrial: isTrial)
                            == (isAllowed && outcomes.contains(outcome)))
                }
            }
        }
    }

    @Test("A rule acts on an allowed presentation alone if it says nothing else")
    func defaults() {
        for outcome in AccessoryOutcome.allCases {
            let output = OutputSamples.output(outcome: outcome)
            #expect(OutputRule.acts(output, rule: OutputRule(), isTrial: false) == (outcome == .allow))
        }
    }
}
