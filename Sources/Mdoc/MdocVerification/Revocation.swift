internal import MdocModel
internal import MdocTrust

/// The proof that neither the document nor its signer is known to be revoked, and that the policy accepts the
/// finding (ISO/IEC 18013-5 second edition 12.3.6, 9.3.3).
struct RevocationProof: ~Copyable {
    let finding: RevocationFinding

    fileprivate init(_ finding: RevocationFinding) {
        self.finding = finding
    }
}

/// Checks the revocation of a verified signer and of the MSO that it signed. An unverified MSO may refer to
/// any list, so its lists are never consulted.
///
/// - Parameter finding: Set to the finding of the lists, even if the check fails.
func checkRevocation(
    signer: borrowing VerifiedIssuerCertificate, signature: borrowing IssuerSignatureProof,
    in context: VerificationContext, finding: inout RevocationFinding
) throws(CheckFailure) -> RevocationProof {
    finding = context.trust.revocation(
        of: signer, status: signature.mobileSecurityObject.status, at: context.now,
        clockSkew: context.policy.clockSkew)
    guard !context.policy.revocation.accepts(finding) else { return RevocationProof(finding) }
    switch finding {
    case .revoked(let cause, _): throw .revoked(cause)
    case .undetermined(let cause, let subject, _): throw .revocationUndetermined(cause, subject)
    // Not reached, because every policy accepts the finding that nothing is revoked.
    case .good: return RevocationProof(finding)
    }
}
