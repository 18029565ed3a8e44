package import MdocTrust

/// What is known about one document, part by part: what one part leaves open, another may settle, and policy is made of them.
package struct VerdictParts: Equatable, Sendable {
    package enum State: String, Sendable {
        case yes, no
        /// It could not be determined, or was not checked because of an earlier failure.
        case undetermined
    }

    /// A trusted issuer signed just this.
    package let authentic: State
    /// What was signed is valid now.
    package let fresh: State
    /// The document itself is in date, by its own expiry date.
    package let documentCurrent: DocumentCurrency
    package let revocation: RevocationFinding
    /// The phone that presents it holds its key, and asserts nothing beyond that.
    package let holderBound: State
}

extension DocumentReport {
    package var parts: VerdictParts {
        VerdictParts(
            authentic: state(
                .issuerCertificate, .issuerSignature, .mobileSecurityObject, .digests, .issuingCountry),
            fresh: state(.validity), documentCurrent: documentCurrent, revocation: revocation,
            holderBound: state(.deviceAuthentication, .keyAuthorizations))
    }

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
