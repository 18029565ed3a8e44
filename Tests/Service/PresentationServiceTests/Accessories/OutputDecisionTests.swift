import Accessories
import ReaderService
import Testing

@testable import PresentationService

@Suite("Whether an output acts on an outcome")
struct OutputDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var outcome = AccessoryOutcome.allow
        var engagement: OutputRule.Engagement? = .nfc
        var isTest: Bool? = false
        var isTrial = false
        let decision: OutputDecision

        var testDescription: String {
            "\(outcome) by \(engagement?.rawValue ?? "nothing"), test \(isTest as Any), trial \(isTrial): \(decision)"
        }

        static let all = [
            Row(decision: .due), Row(engagement: .qr, decision: .refused),
            Row(engagement: nil, decision: .refused),
            Row(isTest: true, decision: .refused), Row(isTest: nil, decision: .refused),
            Row(isTest: true, isTrial: true, decision: .due), Row(isTrial: true, decision: .due),
            Row(engagement: .qr, isTest: true, isTrial: true, decision: .refused),
            // A word that opens nothing needs no nearness, but a trial for a test document.
            Row(outcome: .deny, engagement: .qr, decision: .due),
            Row(outcome: .deny, isTest: true, decision: .refused),
            Row(outcome: .deny, isTest: true, isTrial: true, decision: .due),
            Row(outcome: .cancelled, engagement: nil, isTest: nil, decision: .silent),
            Row(outcome: .unclear, decision: .silent),
        ]
    }

    @Test("Only what the rule lists acts, and what is missing counts against it", arguments: Row.all)
    func decided(_ row: Row) {
        var rule = OutputRule()
        rule.outcomes = [.allow, .deny]
        let output = Accessory.lock(rule: rule, isTrial: row.isTrial)
        let facts = OutputFacts(
            outcome: row.outcome, engagement: row.engagement, method: .machineValidation, isTest: row.isTest)
        #expect(output.decide(on: facts) == row.decision)
    }

    @Test(
        "A rule that lists codes accepts them, one without methods accepts nothing, and a scanner is silent")
    func rules() {
        let facts = OutputFacts(outcome: .allow, engagement: .qr, method: .machineValidation, isTest: false)
        var rule = OutputRule()
        rule.engagements = [.qr]
        #expect(Accessory.lock(rule: rule).decide(on: facts) == .due)
        rule.methods = []
        #expect(Accessory.lock(rule: rule).decide(on: facts) == .refused)
        #expect(Accessory.scanner().decide(on: facts) == .silent)
    }

    @Test("Both versions of a tap are a tap, and a code is a code")
    func engagements() {
        let words = EngagementKind.allCases.map { OutputRule.Engagement($0) }
        #expect(words == [.nfc, .nfc, .qr])
    }
}
