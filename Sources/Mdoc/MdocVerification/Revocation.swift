internal import MdocModel
internal import MdocTrust

/// The proof that neither the document nor its signer is known to be revoked, and that the policy takes what is not known
/// (ISO/IEC 18013-5 second edition 12.3.6, 9.3.3).
struct RevocationProof: ~Copyable {
    let finding: RevocationFinding

    fileprivate init(_ finding: RevocationFinding) {
        self.finding = finding
    }
}

/// Asks the lists about a signer and an MSO that were verified: what an unverified one points to means nothing.
///
/// - Parameter finding: what the lists say, also where that is refused.
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
    case .good: return RevocationProof(finding)
    }
}
