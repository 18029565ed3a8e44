package import JSON
package import MdocTrust
internal import PKIX

/// A rule of the reader's certificate profile that a certificate breaks.
package struct ProfileRule: Hashable, Sendable {
    package let finding: ProfileFinding

    package init(_ finding: ProfileFinding) {
        self.finding = finding
    }

    /// Whether wallets refuse readers that break this rule (Q170).
    private var isEnforcedByWallets: Bool { Self.enforcedByWallets.contains(finding.rule) }

    /// The nine rules that wallets check. `distributionPoint` is the required extension with the address of
    /// the revocation list. `forbiddenExtension` is about extensions that constrain authorities.
    private static let enforcedByWallets: Set<CertificateRule> = [
        .authorityKeyIdentifier, .commonName, .forbiddenExtension, .extendedKeyUsage, .keyUsage,
        .distributionPoint, .validityPeriod, .signatureAlgorithm, .subjectKeyIdentifier,
    ]
}

extension ProfileRule {
    /// An indented line for a list of broken rules.
    package var line: String {
        "  \(finding.rule.rawValue): \(explanation)" + (isEnforcedByWallets ? " (wallets refuse this)" : "")
    }

    package var json: JSONValue {
        [
            "rule": .string(finding.rule.rawValue), "detail": .string(explanation),
            "enforcedByWallets": .boolean(isEnforcedByWallets),
        ]
    }

    /// A text that says what is wrong with the certificate.
    private var explanation: String {
        switch finding.rule {
        case .version: "the certificate is not of version 3"
        case .encoding: "the certificate is encoded in a way that RFC 5280 forbids\(encodingText)"
        case .keyUsageTrailingZeros: "the certificate's keyUsage has trailing zero bits, which DER forbids"
        case .booleanTrueNotFF: "TRUE is encoded as 01 instead of FF in the certificate's basicConstraints"
        case .serialNumber:
            "the certificate's serial number has fewer than 8 octets or more than 20, or is not positive"
        case .signatureAlgorithm: "the certificate is not signed with ECDSA and SHA-256, SHA-384 or SHA-512"
        case .publicKey:
            "the certificate's key is not on a curve that the profile allows, or is a compressed point"
        case .validityPeriod: "the certificate is valid for more than 1187 days"
        case .commonName: "the certificate's subject has no common name"
        case .forbiddenExtension: "the certificate has extension \(oidText), which is not allowed in it"
        case .unknownCriticalExtension: "the certificate has the unknown critical extension \(oidText)"
        case .noAuthority: "the certificate is that of an authority"
        case .keyUsage: "the certificate's key usage does not allow digital signatures"
        case .keyUsageOnly: "the certificate's key usage allows more than digital signatures"
        case .keyUsageCritical: "the certificate's key usage is not critical"
        case .extendedKeyUsage: "the certificate's extended key usage does not name readers (1.0.18013.5.1.6)"
        case .extendedKeyUsageOnly: "the certificate's extended key usage names other purposes too"
        case .extendedKeyUsageCritical: "the certificate's extended key usage is not critical"
        case .authorityKeyIdentifier:
            "the certificate has no authority key identifier that names its issuer's key"
        case .subjectKeyIdentifier: "the certificate has no subject key identifier"
        case .subjectKeyIdentifierDigest:
            "the certificate's subject key identifier is not the SHA-1 of its key"
        case .distributionPoint: "the certificate names neither a CRL nor an OCSP responder by a plain URI"
        case .selfSigned, .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer,
            .authority,
            .basicConstraintsCritical, .pathLength, .issuerAlternativeName:
            "the certificate breaks a rule for other certificates"
        }
    }

    private var oidText: String { finding.oid?.description ?? "" }

    private var encodingText: String {
        let texts = finding.encoding.descriptions
        return texts.isEmpty ? "" : ": " + texts.joined(separator: ", ")
    }
}
