import MdocVerification
import ReaderStore
import Testing

@testable import Reports

@Suite("How a presentation ended, in one word")
struct PresentationOutcomeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let evidence: Conclusion.Evidence
        let outcome: Outcome?
        var reasons: [String] = []

        var testDescription: String { "\(outcome.map(\.rawValue) ?? "open") \(reasons)" }

        static let all = [
            Row(evidence: .cancelled, outcome: .cancelled, reasons: ["cancelled"]),
            Row(
                evidence: Conclusion.Evidence(
                    unjudged: .declined, faults: [.error(.transaction(.declined))]),
                outcome: .declined,
                reasons: ["declined"]),
            Row(
                evidence: Conclusion.Evidence(unjudged: .failed, faults: [.error(.transaction(.linkLost))]),
                outcome: .failed,
                reasons: ["link.lost"]),
            Row(evidence: .restarted, outcome: .failed, reasons: ["restarted"]),
            Row(
                evidence: judged(
                    faults: [.check(.validity), .check(.digests), .check(.validity)], unknowns: [.revocation]),
                outcome: .deny, reasons: ["validity", "digests"]),
            Row(evidence: judged(unknowns: [.revocation]), outcome: .unclear, reasons: ["revocation"]),
            Row(evidence: judged([.yes, .no, .unknown]), outcome: .deny, reasons: ["answer.no"]),
            Row(evidence: judged([.yes, .unknown]), outcome: .unclear, reasons: ["answer.unknown"]),
            Row(evidence: judged([.yes, .yes]), outcome: .allow),
            Row(evidence: judged([]), outcome: .allow),
            Row(
                evidence: judged([], isIncomplete: true), outcome: .unclear,
                reasons: ["element.not_returned"]),
            Row(
                evidence: judged([.yes, .unknown], isIncomplete: true), outcome: .unclear,
                reasons: ["answer.unknown", "element.not_returned"]),
            Row(
                evidence: judged([.yes], hasUnusable: true), outcome: .unclear,
                reasons: ["element.unusable"]),
            Row(evidence: judged([.no], isIncomplete: true), outcome: .deny, reasons: ["answer.no"]),
            Row(evidence: judged([.yes], isTest: true), outcome: .unclear, reasons: ["document.test"]),
        ]

        static let ofPersons = [
            Row(evidence: judged([.yes], person: .awaited), outcome: nil),
            Row(evidence: judged([.no], person: .awaited), outcome: .deny, reasons: ["answer.no"]),
            Row(
                evidence: judged([.unknown], person: .awaited), outcome: .unclear,
                reasons: ["answer.unknown"]),
            Row(evidence: judged([.yes], person: .decided(.approved)), outcome: .allow),
            Row(
                evidence: judged([.yes], isIncomplete: true, person: .decided(.approved)),
                outcome: .unclear, reasons: ["element.not_returned"]),
            Row(
                evidence: judged([.no], person: .decided(.approved)), outcome: .deny,
                reasons: ["answer.no"]),
            Row(
                evidence: judged([.yes], person: .decided(.rejected)), outcome: .deny,
                reasons: ["decision.rejected"]),
            Row(
                evidence: judged([.yes], person: .decided(.dismissed)), outcome: .unclear,
                reasons: ["decision.dismissed"]),
            Row(
                evidence: judged([.yes], person: .overdue), outcome: .unclear,
                reasons: ["decision.overdue"]),
        ]

        private static func judged(
            _ answers: [Answer] = [], faults: [Conclusion.Reason] = [], unknowns: [CheckID] = [],
            isIncomplete: Bool = false, hasUnusable: Bool = false, isTest: Bool = false,
            person: Conclusion.Evidence.Person = .notAsked
        ) -> Conclusion.Evidence {
            Conclusion.Evidence(
                faults: faults, unknowns: unknowns, answers: answers,
                isIncomplete: isIncomplete, hasUnusable: hasUnusable, isTest: isTest, person: person)
        }
    }

    @Test("The first line that fits decides, and every outcome but allow says why", arguments: Row.all)
    func decided(_ row: Row) throws {
        let conclusion = try #require(row.evidence.conclusion)
        #expect(conclusion.outcome == row.outcome && conclusion.reasons.map(\.id) == row.reasons)
        #expect(conclusion.reasons.isEmpty == (conclusion.outcome == .allow))
    }

    @Test("A person decides only where nothing else is missing", arguments: Row.ofPersons)
    func persons(_ row: Row) {
        #expect(row.evidence.conclusion?.outcome == row.outcome)
        #expect((row.evidence.conclusion?.reasons ?? []).map(\.id) == row.reasons)
    }
}
