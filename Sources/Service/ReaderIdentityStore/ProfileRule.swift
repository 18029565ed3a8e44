package import MdocTrust

/// A rule of the reader's certificate profile that a certificate breaks.
package struct ProfileRule: Hashable, Sendable {
    package let finding: ProfileFinding

    package init(_ finding: ProfileFinding) {
        self.finding = finding
    }

    /// Whether wallets have been seen to turn readers away for it (Q170).
    package var isEnforcedByWallets: Bool { Self.enforcedByWallets.contains(finding.rule) }

    /// The nine checks of wallets: the issuer's key identifier, a common name, no extension that constrains authorities,
    /// the purpose, digital signatures, the extensions that have to be there, the validity, the signature, and the own
    /// key identifier.
    private static let enforcedByWallets: Set<CertificateRule> = [
        .authorityKeyIdentifier, .commonName, .forbiddenExtension, .extendedKeyUsage, .keyUsage,
        .distributionPoint, .validityPeriod, .signatureAlgorithm, .subjectKeyIdentifier,
    ]
}
