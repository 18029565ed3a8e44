package import PKIX

/// One requirement of a certificate profile (ISO/IEC 18013-5 Annex B), by the id that reports name.
package enum CertificateRule: String, CaseIterable, Sendable {
    /// Version 3.
    case version
    /// Nothing in its encoding that RFC 5280 forbids, but for what the next two rules are about.
    case encoding
    /// The bits of the key usage do not end in zero (Q214).
    case keyUsageTrailingZeros = "key_usage_trailing_zeros"
    /// TRUE in basicConstraints is encoded as FF (Q215).
    case booleanTrueNotFF = "boolean_true_not_ff"
    /// A positive serial number of 8 to 20 octets: fewer cannot hold the 63 random bits it must have.
    case serialNumber = "serial_number"
    /// Signed with ECDSA and SHA-256, SHA-384 or SHA-512.
    case signatureAlgorithm = "signature_algorithm"
    /// A key on a curve of the profile, its point not compressed.
    case publicKey = "public_key"
    /// No longer validity than the profile's.
    case validityPeriod = "validity_period"
    /// Issued and signed by itself.
    case selfSigned = "self_signed"
    /// A country in the subject.
    case country
    /// The country as two capital letters in a PrintableString.
    case countryForm = "country_form"
    /// The issuer names its country, to compare with.
    case issuerCountry = "issuer_country"
    /// The country of the issuer, where that has one.
    case countryOfIssuer = "country_of_issuer"
    /// The state or province of the issuer, where that has one.
    case stateOfIssuer = "state_of_issuer"
    /// A common name in the subject.
    case commonName = "common_name"
    /// No extension that constrains authorities.
    case forbiddenExtension = "forbidden_extension"
    /// No critical extension that is not understood.
    case unknownCriticalExtension = "unknown_critical_extension"
    /// An authority.
    case authority
    /// No authority, and not allowed to sign certificates or CRLs.
    case noAuthority = "no_authority"
    /// The basic constraints are critical.
    case basicConstraintsCritical = "basic_constraints_critical"
    /// A path length of 0: no authority below.
    case pathLength = "path_length"
    /// The key usage that the profile asks for.
    case keyUsage = "key_usage"
    /// No other key usage.
    case keyUsageOnly = "key_usage_only"
    case keyUsageCritical = "key_usage_critical"
    /// The extended key usage that the profile asks for; none for a root.
    case extendedKeyUsage = "extended_key_usage"
    /// No other extended key usage.
    case extendedKeyUsageOnly = "extended_key_usage_only"
    case extendedKeyUsageCritical = "extended_key_usage_critical"
    /// The issuer's key identifier.
    case authorityKeyIdentifier = "authority_key_identifier"
    case subjectKeyIdentifier = "subject_key_identifier"
    /// The subject key identifier is the SHA-1 of the key's bits.
    case subjectKeyIdentifierDigest = "subject_key_identifier_digest"
    /// An address or URI of the issuer in issuerAltName.
    case issuerAlternativeName = "issuer_alternative_name"
    /// Where to find revocations, in the form that the profile asks for.
    case distributionPoint = "distribution_point"
}

extension CertificateRule {
    /// Whether the rule is about an encoding that every TLS stack reads: a finding is reported and refuses no signer of a
    /// list.
    package var isHarmless: Bool { self == .keyUsageTrailingZeros || self == .booleanTrueNotFF }
}

/// A rule that a certificate breaks.
package struct ProfileFinding: Hashable, Sendable {
    package let rule: CertificateRule
    /// The extension, where the rule is about one among many.
    package let oid: ObjectIdentifier?
    /// What is encoded otherwise, where the rule is about that.
    package let encoding: EncodingDeviations

    init(
        _ rule: CertificateRule, _ oid: ObjectIdentifier? = nil, encoding: EncodingDeviations = []
    ) {
        self.rule = rule
        self.oid = oid
        self.encoding = encoding
    }
}

extension [ProfileFinding] {
    /// The ids of the rules, each with what it is about.
    var text: String {
        map { finding in
            let details = (finding.oid.map { ["\($0)"] } ?? []) + finding.encoding.descriptions
            let id = finding.rule.rawValue
            return details.isEmpty ? id : "\(id) (\(details.joined(separator: ", ")))"
        }.joined(separator: ", ")
    }
}

/// How findings are taken.
package enum ProfileStrictness: String, Sendable {
    /// Some rules refuse, the others are reported: real certificates depart from them.
    case lenient
    /// Every finding refuses.
    case strict
}
