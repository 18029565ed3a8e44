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
        case .version: "it is not of version 3"
        case .encoding: "it is encoded in a way that RFC 5280 forbids\(encodingText)"
        case .keyUsageTrailingZeros: "the bits of its keyUsage end in zero"
        case .booleanTrueNotFF: "TRUE is 01 and not FF in its basicConstraints"
        case .serialNumber: "its serial number has fewer than 8 octets or more than 20, or is not positive"
        case .signatureAlgorithm: "it is not signed with ECDSA and SHA-256, SHA-384 or SHA-512"
        case .publicKey: "its key is not on a curve of the profile, or is compressed"
        case .validityPeriod: "it is valid for more than 1187 days"
        case .commonName: "its subject has no common name"
        case .forbiddenExtension: "it has extension \(oidText), which is not allowed in it"
        case .unknownCriticalExtension: "it has the unknown critical extension \(oidText)"
        case .noAuthority: "it is the certificate of an authority"
        case .keyUsage: "its key usage does not allow digital signatures"
        case .keyUsageOnly: "its key usage allows more than digital signatures"
        case .keyUsageCritical: "its key usage is not critical"
        case .extendedKeyUsage: "it is not for readers (1.0.18013.5.1.6)"
        case .extendedKeyUsageOnly: "it is for other purposes too"
        case .extendedKeyUsageCritical: "its extended key usage is not critical"
        case .authorityKeyIdentifier: "it does not point to the key of its issuer"
        case .subjectKeyIdentifier: "it has no subject key identifier"
        case .subjectKeyIdentifierDigest: "its subject key identifier is not the SHA-1 of its key"
        case .distributionPoint: "it names neither a CRL nor an OCSP responder by a plain URI"
        case .selfSigned, .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer,
            .authority,
            .basicConstraintsCritical, .pathLength, .issuerAlternativeName:
            "it breaks a rule for other certificates"
        }
    }

    private var oidText: String { finding.oid?.description ?? "" }

    private var encodingText: String {
        let texts = finding.encoding.descriptions
        return texts.isEmpty ? "" : ": " + texts.joined(separator: ", ")
    }
}
