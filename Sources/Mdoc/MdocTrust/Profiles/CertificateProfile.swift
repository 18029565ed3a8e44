package import PKIX

/// A certificate profile (ISO/IEC 18013-5 Annex B.1) as a named set of rules.
///
/// A profile checks a single certificate. It never checks the chain of the certificate or the time at which
/// the certificate is used. A certificate is refused if it breaks one of the enforced rules. A breach of
/// another rule is only reported, because certificates in use break it (Q179). `ProfileInspection` implements
/// the rules.
package struct CertificateProfile: Equatable, Sendable {
    package let name: String
    /// The rules that are checked.
    package let rules: Set<CertificateRule>
    /// The rules whose breach leads to refusal of the certificate even under `ProfileStrictness.lenient`.
    package let enforced: Set<CertificateRule>
    /// The maximum validity of the certificate in seconds.
    package let longestValidity: Int64
    /// The key usage that the certificate must have.
    package let keyUsage: KeyUsage
    /// The extended key usages of which the certificate must have one. If the list is empty, the extension
    /// must be absent.
    package let extendedKeyUsages: [ObjectIdentifier]
    /// Whether the extended key usage extension may be absent although `extendedKeyUsages` is not empty.
    package let allowsNoExtendedKeyUsage: Bool
    package let distributionPoint: DistributionPointRule

    private init(
        name: String, rules: Set<CertificateRule>, enforced: Set<CertificateRule>,
        allowsNoExtendedKeyUsage: Bool = false, longestValidity: Int64, keyUsage: KeyUsage,
        extendedKeyUsages: [ObjectIdentifier], distributionPoint: DistributionPointRule
    ) {
        self.name = name
        self.rules = rules
        self.enforced = enforced
        self.allowsNoExtendedKeyUsage = allowsNoExtendedKeyUsage
        self.longestValidity = longestValidity
        self.keyUsage = keyUsage
        self.extendedKeyUsages = extendedKeyUsages
        self.distributionPoint = distributionPoint
    }

    /// The form in which a certificate must say where revocations are published.
    package enum DistributionPointRule: Sendable {
        /// CRL distribution points as URIs, without reasons and cRLIssuer.
        case uri
        /// The extension cRLDistributionPoints may be absent. If it is present, it must meet `uri`.
        case uriIfPresent
        /// CRL distribution points that meet `uri`, or, without that extension, the address of an OCSP
        /// responder.
        case uriOrResponder
        /// The extension cRLDistributionPoints in any form.
        case present
    }

    // The validities below are 20 years (7305 days), 39 months (1187 days) and 15 months (457 days).
    private static let day: Int64 = 86_400
    private static let common: Set<CertificateRule> = [
        .version, .encoding, .keyUsageTrailingZeros, .booleanTrueNotFF, .serialNumber, .signatureAlgorithm,
        .publicKey, .validityPeriod, .commonName,
        .forbiddenExtension, .unknownCriticalExtension, .keyUsage, .keyUsageOnly, .keyUsageCritical,
        .extendedKeyUsage, .subjectKeyIdentifier, .subjectKeyIdentifierDigest, .distributionPoint,
    ]
    private static let leaf: Set<CertificateRule> = common.union([
        .noAuthority, .authorityKeyIdentifier, .extendedKeyUsageOnly,
    ])
    private static let enforcedOnLeaves: Set<CertificateRule> = [
        .encoding, .forbiddenExtension, .unknownCriticalExtension, .noAuthority, .keyUsage, .extendedKeyUsage,
    ]

    /// The profile of a root that issues document signers (Annex B.1.2).
    package static let iaca = CertificateProfile(
        name: "iaca",
        rules: common.union([
            .selfSigned, .country, .countryForm, .authority, .basicConstraintsCritical, .pathLength,
            .issuerAlternativeName,
        ]),
        enforced: [.authority], longestValidity: 7305 * day, keyUsage: [.keyCertSign, .cRLSign],
        extendedKeyUsages: [], distributionPoint: .uriIfPresent)

    /// The profile of a document signer, which signs MSOs (Annex B.1.4).
    package static let documentSigner = CertificateProfile(
        name: "document_signer",
        rules: leaf.union([
            .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer,
            .extendedKeyUsageCritical, .issuerAlternativeName,
        ]),
        enforced: enforcedOnLeaves.union([.country, .countryOfIssuer]), longestValidity: 457 * day,
        keyUsage: .digitalSignature, extendedKeyUsages: [.mdocDocumentSigner], distributionPoint: .uri)

    /// Returns a profile like `documentSigner` with other extended key usages, for a document type that the
    /// settings add (Q216).
    ///
    /// - Parameter purposes: The extended key usages of which the signer must have one. If the list is empty,
    ///   the extension must be absent.
    static func furtherSigner(naming purposes: [ObjectIdentifier]) -> CertificateProfile {
        CertificateProfile(
            name: "further_signer", rules: documentSigner.rules, enforced: documentSigner.enforced,
            longestValidity: documentSigner.longestValidity, keyUsage: documentSigner.keyUsage,
            extendedKeyUsages: purposes, distributionPoint: documentSigner.distributionPoint)
    }

    /// The profile of signers of European person identification data (Q216).
    ///
    /// By the profile of the European Digital Identity Wallet (EUDI), such a signer has its own extended key
    /// usage, or none. That profile sets no rules for validity, distribution points and issuerAltName. So
    /// `longestValidity` is not used here. Document signers of mdocs may sign person identification data too.
    package static let personIDSigner = CertificateProfile(
        name: "person_id_signer",
        rules: leaf.union([.country, .countryForm, .issuerCountry, .countryOfIssuer])
            .subtracting([.validityPeriod]),
        enforced: enforcedOnLeaves.union([.country, .countryOfIssuer]), allowsNoExtendedKeyUsage: true,
        longestValidity: 1187 * day, keyUsage: .digitalSignature,
        extendedKeyUsages: [.personIDSigner, .mdocDocumentSigner], distributionPoint: .uriIfPresent)

    /// The profile of a reader certificate, which signs requests (Annex B.1.7).
    package static let reader = CertificateProfile(
        name: "reader", rules: leaf.union([.extendedKeyUsageCritical]),
        enforced: enforcedOnLeaves.union([.authorityKeyIdentifier]), longestValidity: 1187 * day,
        keyUsage: .digitalSignature, extendedKeyUsages: [.mdocReader], distributionPoint: .uriOrResponder)

    /// The profile of the signer of a VICAL (Annex C.1.7.2).
    package static let vicalSigner = CertificateProfile(
        name: "vical_signer", rules: leaf, enforced: enforcedOnLeaves, longestValidity: 1187 * day,
        keyUsage: .contentCommitment, extendedKeyUsages: [.vicalSigner], distributionPoint: .present)

    /// The profile of the signer of a status or identifier list (second edition, Annex B.9).
    ///
    /// The extended key usage may be absent. If it is present, it names the purpose of a status signer or of
    /// a document signer.
    package static let statusSigner = CertificateProfile(
        name: "status_signer", rules: leaf, enforced: enforcedOnLeaves, allowsNoExtendedKeyUsage: true,
        longestValidity: 1187 * day, keyUsage: .digitalSignature,
        extendedKeyUsages: [.statusListSigner, .mdocDocumentSigner], distributionPoint: .uriIfPresent)

    package static let all: [CertificateProfile] = [
        iaca, documentSigner, personIDSigner, reader, vicalSigner, statusSigner,
    ]

    /// Returns the rules that `certificate` breaks, in the order of `CertificateRule`.
    ///
    /// - Parameter issuer: The issuer, or `nil` if unknown. Without an issuer, rules that compare with it are
    ///   skipped.
    package func findings(of certificate: Certificate, issuedBy issuer: Certificate?) -> [ProfileFinding] {
        let inspection = ProfileInspection(profile: self, certificate: certificate, issuer: issuer)
        return CertificateRule.allCases.filter(rules.contains).flatMap(inspection.findings)
    }

    /// Returns the findings because of which a certificate is refused under `strictness`.
    package func refusals(
        among findings: [ProfileFinding], _ strictness: ProfileStrictness
    ) -> [ProfileFinding] {
        strictness == .strict ? findings : findings.filter { enforced.contains($0.rule) }
    }
}

extension ObjectIdentifier {
    package static let mdocDocumentSigner = ObjectIdentifier("1.0.18013.5.1.2")
    /// The extended key usage of signers of person identification data (EUDI).
    package static let personIDSigner = ObjectIdentifier("1.3.130.2.0.0.1.2")
    package static let mdocReader = ObjectIdentifier("1.0.18013.5.1.6")
    package static let vicalSigner = ObjectIdentifier("1.0.18013.5.1.8")
    /// The extended key usage of status list signers, id-kp-oauthStatusSigning.
    ///
    /// The draft leaves the number open (Token Status List, 10), and issuers use this number. IANA assigned
    /// the number to BGPsec routers (RFC 8209), which no IACA certifies.
    package static let statusListSigner = ObjectIdentifier("1.3.6.1.5.5.7.3.30")
    static let anyExtendedKeyUsage = ObjectIdentifier("2.5.29.37.0")
}
