import Foundation
import FuzzTargets
import Testing
import VectorFiles

@Suite("Responses that are signed again after a change")
struct ReissueTests {
    @Test("No change of a response makes an answer better than its evidence, whoever signs the change")
    func seeded() {
        let count = ProcessInfo.processInfo.environment["COUNTERSIGN_REISSUES"].flatMap { Int($0) } ?? 2000
        let seed =
            ProcessInfo.processInfo.environment["COUNTERSIGN_REISSUE_SEED"].flatMap { UInt64($0) } ?? 18_013
        var random = SplitMix64(seed: seed)
        var verified = 0
        var violations: [String: (count: Int, script: [UInt8])] = [:]
        for _ in 0..<count {
            let script = random.script()
            let mutant = ReissueMutant(script[...])
            verified += mutant.isVerified ? 1 : 0
            for violation in mutant.violations {
                let known = violations[violation]
                let shortest = known.map { $0.script.count <= script.count ? $0.script : script } ?? script
                violations[violation] = ((known?.count ?? 0) + 1, shortest)
            }
        }
        for (violation, found) in violations.sorted(by: { $0.key < $1.key }) {
            let script = found.script.map { String(format: "%02x", $0) }.joined()
            Issue.record("\(violation): \(found.count) of \(count), such as \(script)")
        }
        // Changes that are refused at the first check try nothing behind it.
        #expect(verified > count / 4, "\(verified) of \(count) verified")
        print("\(count) responses signed again, \(verified) verified")
    }

    @Test(
        "The oracle sees a value that was not signed, an answer without evidence, and a gain of the holder",
        arguments: [
            // Profile, intent and form, as `ReissueScenario` reads them: the adult's answers for documents of a minor.
            (verified: [0, 1, 0], issued: [2, 1, 0], violation: "an element that its side did not sign"),
            ([0, 1, 0], [2, 1, 0], "a holder's change made an answer yes"),
            ([0, 1, 0], [2, 1, 0], "a holder's change made the outcome allow"),
            ([0, 1, 0], [0, 1, 0, 2, 22], "verified, and another key signed it"),
            (
                [0, 1, 0], [0, 1, 0, 2, 23, 4], "verified, and not bound to the session by the document's key"
            ),
            ([0, 1, 0], [5, 1, 0], "verified, and a readable reference says revoked"),
            ([0, 9, 0], [0, 1, 0], "an element that nobody asked for"),
        ] as [(verified: [UInt8], issued: [UInt8], violation: String)])
    func oracle(verified: [UInt8], issued: [UInt8], violation: String) {
        let mutant = ReissueMutant(verified[...], issued: issued[...])
        #expect(mutant.isVerified)
        #expect(mutant.violations.contains(violation), "\(mutant.violations)")
        #expect(ReissueMutant(verified[...]).violations.isEmpty)
    }
}

extension SplitMix64 {
    /// A scenario and up to four edits: most of what one edit breaks hides the others.
    fileprivate mutating func script() -> [UInt8] {
        let count = 3 + Int.random(in: 0...36, using: &self)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }
}
