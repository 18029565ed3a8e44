/// The issuers of test documents. Their documents prove nothing, even if every check passes.
///
/// An issuer of the country `UT` is always a test issuer. The standard's examples and software wallets use
/// that code, which is not a real country (ISO/IEC 18013-5 Annex D).
package struct TestRoots: Equatable, Sendable {
    private static let country = "UT"

    /// The roots of other test issuers, by the SHA-256 of their certificates.
    package var named: Set<[UInt8]> = []

    package init() {}

    package func contain(_ issuer: DocumentIssuer) -> Bool {
        issuer.country == Self.country || issuer.anchorSHA256.map { named.contains($0) } ?? false
    }
}

extension VerificationPolicy {
    /// Whether one of the documents is from a test issuer.
    package func hasTestDocument(_ reports: [DocumentReport]) -> Bool {
        reports.contains { $0.issuer.map { testRoots.contain($0) } ?? false }
    }

    /// Whether the response may be used: it has no test document, or the policy accepts test documents so
    /// that a setup can be tried out.
    package func accepts(_ response: VerifiedResponse) -> Bool {
        acceptsTestDocuments || !hasTestDocument(response.reports)
    }
}
