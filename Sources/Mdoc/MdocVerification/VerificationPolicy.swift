package import MdocTrust

/// How a response is judged: one value, passed whole from the configuration to the checks.
package struct VerificationPolicy: Equatable, Sendable {
    package var rules: VerificationRules
    /// What to do when revocation is undetermined.
    package var revocation: RevocationPolicy
    /// The seconds by which validFrom and validUntil are extended (Q186), and by which a list may be from the future.
    package var clockSkew: Int64
    /// Whose certificates may sign which documents.
    package var signers: DocumentSignerProfiles
    package var testRoots = TestRoots()
    /// For trials: whether documents of test issuers are used. They are never verified.
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

/// The trust and the policy by which a response was verified.
package struct VerificationBasis: Sendable {
    /// The issuers and lists that were trusted.
    package let trustSnapshot: TrustSnapshot.ID
    package let policy: VerificationPolicy

    init(_ context: VerificationContext) {
        trustSnapshot = context.trust.snapshotID
        policy = context.policy
    }
}
