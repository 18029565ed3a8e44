package import MdocTrust

/// The rules by which a response is judged: one value, passed as a whole from the configuration to the
/// checks.
///
/// **Responsibility.** A policy decides whether a deviation or a finding about revocation makes a check fail.
/// Deviations and findings are reported under every policy. A policy has these parts:
///
/// - `rules`: whether departures from the profile of ISO/IEC 18013-5 are only listed, or make the check
///   `profile` of the document fail;
/// - `revocation`: whether a document with undetermined revocation is accepted. The choice depends on the
///   risk of the transaction (Q183);
/// - `clockSkew`: the tolerance for this computer's clock (Q186);
/// - `signers`: the certificate profile for each document type (Q216);
/// - `testRoots` and `acceptsTestDocuments`: test documents, which never count as verified.
///
/// **Callers.** The configuration of the daemon, the options of `countersign request` and `countersign
/// verify`, and apps of the library make a policy. `VerificationBasis` keeps it with the result, so that a
/// report can state the policy of its verdict.
///
/// **Limits.** No policy accepts a revoked document, a wrong signature or a digest that does not match.
package struct VerificationPolicy: Equatable, Sendable {
    /// The treatment of departures from the profile.
    package var rules: VerificationRules
    /// The treatment of a document with undetermined revocation.
    package var revocation: RevocationPolicy
    /// The seconds by which validFrom and validUntil are extended (Q186), and by which the date of a list may
    /// lie in the future.
    package var clockSkew: Int64
    /// The certificate profiles of document signers, by document type.
    package var signers: DocumentSignerProfiles
    package var testRoots = TestRoots()
    /// Whether documents of test issuers may be used, so that a setup can be tried out with them. They never
    /// count as verified.
    package var acceptsTestDocuments = false

    package init(
        rules: VerificationRules = .interoperable, revocation: RevocationPolicy = .age, clockSkew: Int64 = 60,
        signers: DocumentSignerProfiles = DocumentSignerProfiles()
    ) {
        self.rules = rules
        self.revocation = revocation
        self.clockSkew = clockSkew
        self.signers = signers
    }
}

/// The trust and the policy with which a response was verified.
package struct VerificationBasis: Sendable {
    /// The id of the trust snapshot with the trusted issuers and lists.
    package let trustSnapshot: TrustSnapshot.ID
    package let policy: VerificationPolicy

    init(_ context: VerificationContext) {
        trustSnapshot = context.trust.snapshotID
        policy = context.policy
    }
}
