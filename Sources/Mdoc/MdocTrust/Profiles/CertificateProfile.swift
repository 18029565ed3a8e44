package import PKIX

/// A certificate profile (ISO/IEC 18013-5 Annex B.1) as a named set of rules.
package struct CertificateProfile: Equatable, Sendable {
    package let name: String
    /// The rules that are looked at.
    package let rules: Set<CertificateRule>
    /// Those of them that refuse a certificate also where findings are only reported.
    package let enforced: Set<CertificateRule>
    /// In seconds.
    package let longestValidity: Int64
    /// What the key is for.
    package let keyUsage: KeyUsage
    /// One of these has to be named; empty if none may be.
    package let extendedKeyUsages: [ObjectIdentifier]
    /// Whether the extension may be missing where one of those has to be named.
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

    package enum DistributionPointRule: Sendable {
        /// By URIs alone, without reasons and cRLIssuer.
        case uri
        /// As `uri` where there are any.
        case uriIfPresent
        /// As `uri`, or the address of an OCSP responder.
        case uriOrResponder
        case present
    }

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

    /// A root that issues document signers (Annex B.1.2).
    package static let iaca = CertificateProfile(
        name: "iaca",
        rules: common.union([
            .selfSigned, .country, .countryForm, .authority, .basicConstraintsCritical, .pathLength,
            .issuerAlternativeName,
        ]),
        enforced: [.authority], longestValidity: 7305 * day, keyUsage: [.keyCertSign, .cRLSign],
        extendedKeyUsages: [], distributionPoint: .uriIfPresent)

    /// Who signs MSOs (Annex B.1.4).
    package static let documentSigner = CertificateProfile(
        name: "document_signer",
        rules: leaf.union([
            .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer,
            .extendedKeyUsageCritical, .issuerAlternativeName,
        ]),
        enforced: enforcedOnLeaves.union([.country, .countryOfIssuer]), longestValidity: 457 * day,
        keyUsage: .digitalSignature, extendedKeyUsages: [.mdocDocumentSigner], distributionPoint: .uri)

    /// As `documentSigner`, for documents whose signers name one of other purposes; without purposes the extension has
    /// to be missing.
    static func furtherSigner(naming purposes: [ObjectIdentifier]) -> CertificateProfile {
        CertificateProfile(
            name: "further_signer", rules: documentSigner.rules, enforced: documentSigner.enforced,
            longestValidity: documentSigner.longestValidity, keyUsage: documentSigner.keyUsage,
            extendedKeyUsages: purposes, distributionPoint: documentSigner.distributionPoint)
    }

    /// Who signs European person identification data: the EUDI profile has its own purpose or none, and says nothing of
    /// validity, distribution points and issuerAltName (Q216). Signers of mdocs sign them too.
    package static let personIDSigner = CertificateProfile(
        name: "person_id_signer",
        rules: leaf.union([.country, .countryForm, .issuerCountry, .countryOfIssuer])
            .subtracting([.validityPeriod]),
        enforced: enforcedOnLeaves.union([.country, .countryOfIssuer]), allowsNoExtendedKeyUsage: true,
        longestValidity: 1187 * day, keyUsage: .digitalSignature,
        extendedKeyUsages: [.personIDSigner, .mdocDocumentSigner], distributionPoint: .uriIfPresent)

    /// Who signs requests (Annex B.1.7).
    package static let reader = CertificateProfile(
        name: "reader", rules: leaf.union([.extendedKeyUsageCritical]),
        enforced: enforcedOnLeaves.union([.authorityKeyIdentifier]), longestValidity: 1187 * day,
        keyUsage: .digitalSignature, extendedKeyUsages: [.mdocReader], distributionPoint: .uriOrResponder)

    /// Who signs a VICAL (Annex C.1.7.2).
    package static let vicalSigner = CertificateProfile(
        name: "vical_signer", rules: leaf, enforced: enforcedOnLeaves, longestValidity: 1187 * day,
        keyUsage: .contentCommitment, extendedKeyUsages: [.vicalSigner], distributionPoint: .present)

    /// Who signs a status or identifier list (second edition, Annex B.9): an extended key usage may be missing, and is
    /// that of a status signer or of a document signer where it is there.
    package static let statusSigner = CertificateProfile(
        name: "status_signer", rules: leaf, enforced: enforcedOnLeaves, allowsNoExtendedKeyUsage: true,
        longestValidity: 1187 * day, keyUsage: .digitalSignature,
        extendedKeyUsages: [.statusListSigner, .mdocDocumentSigner], distributionPoint: .uriIfPresent)

    package static let all: [CertificateProfile] = [
        iaca, documentSigner, personIDSigner, reader, vicalSigner, statusSigner,
    ]

    /// The rules that `certificate` breaks, in the order of `CertificateRule`.
    ///
    /// - Parameter issuer: the issuer, if known; without it, rules that compare with it are skipped.
    package func findings(of certificate: Certificate, issuedBy issuer: Certificate?) -> [ProfileFinding] {
        let inspection = ProfileInspection(profile: self, certificate: certificate, issuer: issuer)
        return CertificateRule.allCases.filter(rules.contains).flatMap(inspection.findings)
    }

    /// Those findings that refuse a certificate.
    package func refusals(
        among findings: [ProfileFinding], _ strictness: ProfileStrictness
    ) -> [ProfileFinding] {
        strictness == .strict ? findings : findings.filter { enforced.contains($0.rule) }
    }
}

extension ObjectIdentifier {
    package static let mdocDocumentSigner = ObjectIdentifier("1.0.18013.5.1.2")
    /// EUDI: signers of person identification data.
    package static let personIDSigner = ObjectIdentifier("1.3.130.2.0.0.1.2")
    package static let mdocReader = ObjectIdentifier("1.0.18013.5.1.6")
    package static let vicalSigner = ObjectIdentifier("1.0.18013.5.1.8")
    /// What issuers write for id-kp-oauthStatusSigning while the draft leaves the number open (Token Status List, 10).
    /// IANA gave it to BGPsec routers (RFC 8209), which no IACA certifies.
    package static let statusListSigner = ObjectIdentifier("1.3.6.1.5.5.7.3.30")
    static let anyExtendedKeyUsage = ObjectIdentifier("2.5.29.37.0")
}
