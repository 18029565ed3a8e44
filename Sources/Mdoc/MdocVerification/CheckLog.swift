internal import MdocModel

/// How departures from the profile are taken.
package enum VerificationRules: Sendable {
    /// Those that real wallets show without harm are accepted and listed.
    case interoperable
    /// Every one fails its check.
    case strict
}

/// Runs checks and keeps the result of each, so that one failure does not hide the others.
struct CheckLog {
    let rules: VerificationRules
    private(set) var reports: [CheckReport] = []
    private(set) var deviations: [Deviation] = []

    /// The proof that `check` gives, or nil after noting why it gave none.
    mutating func run<Proof: ~Copyable>(
        _ id: CheckID, _ check: (inout [Deviation]) throws(CheckFailure) -> Proof
    ) -> Proof? {
        var found: [Deviation] = []
        do throws(CheckFailure) {
            let proof = try check(&found)
            let distinct = found.isEmpty ? [] : Deviation.allCases.filter(found.contains)
            deviations += distinct.filter { !deviations.contains($0) }
            guard rules == .interoperable || distinct.isEmpty else { throw .deviations(distinct) }
            reports.append(CheckReport(id: id, outcome: .passed))
            return proof
        } catch {
            let outcome = error.isUndetermined ? CheckReport.Outcome.undetermined(error) : .failed(error)
            reports.append(CheckReport(id: id, outcome: outcome))
        }
        return nil
    }

    mutating func skip(_ ids: CheckID...) {
        for id in ids { reports.append(CheckReport(id: id, outcome: .skipped)) }
    }
}

extension CheckFailure {
    /// Whether the check could not be made, rather than failed.
    fileprivate var isUndetermined: Bool {
        switch self {
        case .readerKeyNeeded, .revocationUndetermined: true
        default: false
        }
    }
}
