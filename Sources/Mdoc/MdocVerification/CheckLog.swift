internal import MdocModel

/// The treatment of departures from the profile.
package enum VerificationRules: Sendable {
    /// Departures that real wallets show without harm are accepted and listed.
    case interoperable
    /// Every departure fails the check `profile`, and no other.
    case strict
}

extension VerificationRules {
    /// The checks made under these rules, in their order.
    package var checks: [CheckID] { CheckID.allCases.filter { self == .strict || $0 != .profile } }
}

/// The proof that the rules accept every departure from the profile that was found.
struct ProfileProof: ~Copyable {
    fileprivate init() {}
}

/// Runs checks and keeps the result of each, so that one failure does not hide the others.
struct CheckLog {
    let rules: VerificationRules
    private(set) var reports: [CheckReport] = []
    private(set) var deviations: [Deviation] = []

    /// The proof that `check` gives, or nil after recording why it gave none. Its deviations refuse nothing here: a
    /// policy changes no fact.
    mutating func run<Proof: ~Copyable>(
        _ id: CheckID, _ check: (inout [Deviation]) throws(CheckFailure) -> Proof
    ) -> Proof? {
        var found: [Deviation] = []
        do throws(CheckFailure) {
            let proof = try check(&found)
            let distinct = found.isEmpty ? [] : Deviation.allCases.filter(found.contains)
            deviations += distinct.filter { !deviations.contains($0) }
            reports.append(CheckReport(id: id, outcome: .passed))
            return proof
        } catch {
            let outcome = error.isUndetermined ? CheckReport.Finding.undetermined(error) : .failed(error)
            reports.append(CheckReport(id: id, outcome: outcome))
        }
        return nil
    }

    /// The proof that the rules accept every deviation that the checks found; the last check, made under strict rules.
    ///
    /// - Parameter isComplete: whether every other check was made.
    mutating func checkProfile(isComplete: Bool = true) -> ProfileProof? {
        guard rules == .strict else { return ProfileProof() }
        guard deviations.isEmpty else {
            reports.append(CheckReport(id: .profile, outcome: .failed(.deviations(deviations))))
            return nil
        }
        reports.append(CheckReport(id: .profile, outcome: isComplete ? .passed : .skipped))
        return isComplete ? ProfileProof() : nil
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
