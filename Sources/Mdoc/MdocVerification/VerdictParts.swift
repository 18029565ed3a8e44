package import MdocTrust

/// The verdict on one document in parts. `authentic`, `fresh` and `holderBound` follow from different checks,
/// so one part can be no while another is yes.
///
/// The clerk's page and JSON reports show the parts.
package struct VerdictParts: Equatable, Sendable {
    package enum State: String, Sendable {
        case yes, no
        /// The part could not be determined, or was not checked because another check failed.
        case undetermined
    }

    /// Whether a trusted issuer signed exactly this document.
    package let authentic: State
    /// Whether the MSO is valid now.
    package let fresh: State
    /// Whether the document itself is in date, by its own expiry date. Unknown unless every check other than
    /// `profile` passed.
    package let documentCurrent: DocumentCurrency
    package let revocation: RevocationFinding
    /// Whether the phone holds the document's key, and asserts nothing for which that key is not authorised.
    package let holderBound: State
}

extension DocumentReport {
    /// The verdict on the document in parts.
    package var parts: VerdictParts {
        VerdictParts(
            authentic: state(
                .issuerCertificate, .issuerSignature, .mobileSecurityObject, .digests, .issuingCountry),
            fresh: state(.validity), documentCurrent: documentCurrent, revocation: revocation,
            holderBound: state(.deviceAuthentication, .keyAuthorizations))
    }

    /// Returns `no` if one of these checks failed, and `yes` only if all of them passed.
    private func state(_ ids: CheckID...) -> VerdictParts.State {
        let outcomes = checks.filter { ids.contains($0.id) }.map(\.outcome)
        if outcomes.contains(where: \.isFailure) { return .no }
        return outcomes.count == ids.count && outcomes.allSatisfy { $0 == .passed } ? .yes : .undetermined
    }
}

extension CheckReport.Finding {
    fileprivate var isFailure: Bool {
        guard case .failed = self else { return false }
        return true
    }
}
