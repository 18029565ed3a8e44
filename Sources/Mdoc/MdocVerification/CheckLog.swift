internal import MdocModel

/// The treatment of departures from the profile of ISO/IEC 18013-5.
package enum VerificationRules: Sendable {
    /// Departures that real wallets have, and that do no harm, are accepted and listed.
    case interoperable
    /// Every departure makes the check `profile` fail. No other check fails because of a departure.
    case strict
}

extension VerificationRules {
    /// The checks that are made under these rules, in their order.
    package var checks: [CheckID] { CheckID.allCases.filter { self == .strict || $0 != .profile } }
}

/// The proof that the rules accept every departure that was found.
struct ProfileProof: ~Copyable {
    fileprivate init() {}
}

/// Makes the checks of one document and records the result of each, so that one failure does not hide the
/// others.
struct CheckLog {
    let rules: VerificationRules
    private(set) var reports: [CheckReport] = []
    private(set) var deviations: [Deviation] = []

    /// Runs `check`, and records its result. If the check passes, also records the deviations that it found.
    ///
    /// No deviation makes a check fail here, because only `checkProfile` depends on the rules.
    ///
    /// - Returns: The proof, or `nil` if the check failed or could not be made.
    mutating func run<Proof: ~Copyable>(
        _ id: CheckID, _ check: (inout [Deviation]) throws(CheckFailure) -> Proof
    ) -> Proof? {
        var found: [Deviation] = []
        do throws(CheckFailure) {
            let proof = try check(&found)
            // A deviation is listed once, however many elements have it, and always in the same order.
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

    /// Makes the last check, `profile`. Under strict rules it fails if any check found a deviation.
    ///
    /// - Parameter isComplete: Whether every other check was made. If not, a check that was not made might
    ///   have found a deviation.
    mutating func checkProfile(isComplete: Bool = true) -> ProfileProof? {
        // The rules `interoperable` accept every deviation, so there is no result to record.
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
    /// Whether this failure means that the check could not be made.
    fileprivate var isUndetermined: Bool {
        switch self {
        case .readerKeyNeeded, .revocationUndetermined: true
        default: false
        }
    }
}
