package import PKIX

/// A requirement of a certificate profile (ISO/IEC 18013-5 Annex B). The raw value is the rule's id in
/// reports.
package enum CertificateRule: String, CaseIterable, Sendable {
    /// The version is 3.
    case version
    /// The encoding follows RFC 5280. `keyUsageTrailingZeros` and `booleanTrueNotFF` are separate rules.
    case encoding
    /// The bits of the key usage do not end in zero (Q214).
    case keyUsageTrailingZeros = "key_usage_trailing_zeros"
    /// TRUE in basicConstraints is encoded as FF (Q215).
    case booleanTrueNotFF = "boolean_true_not_ff"
    /// The serial number is positive and has 8 to 20 octets. Fewer octets cannot hold the 63 random bits that
    /// it must have.
    case serialNumber = "serial_number"
    /// The certificate is signed with ECDSA and SHA-256, SHA-384 or SHA-512.
    case signatureAlgorithm = "signature_algorithm"
    /// The key is on a curve of the profile, and its point is not compressed.
    case publicKey = "public_key"
    /// The validity is not longer than the profile allows.
    case validityPeriod = "validity_period"
    /// The certificate names itself as its issuer, and its own key signed it.
    case selfSigned = "self_signed"
    /// The subject has a country.
    case country
    /// The country is two capital letters in a PrintableString.
    case countryForm = "country_form"
    /// The issuer has a country, with which the certificate's country can be compared.
    case issuerCountry = "issuer_country"
    /// The country equals the issuer's country, if the issuer has one.
    case countryOfIssuer = "country_of_issuer"
    /// The state or province equals the state or province of the issuer, if the issuer has one.
    case stateOfIssuer = "state_of_issuer"
    /// The subject has a common name.
    case commonName = "common_name"
    /// The certificate has none of the extensions that the profile forbids, such as name constraints.
    case forbiddenExtension = "forbidden_extension"
    /// The certificate has no critical extension that this reader does not know.
    case unknownCriticalExtension = "unknown_critical_extension"
    /// The certificate belongs to an authority: cA is TRUE in basicConstraints.
    case authority
    /// The certificate does not belong to an authority, and may not sign certificates or CRLs.
    case noAuthority = "no_authority"
    /// The extension basicConstraints is critical.
    case basicConstraintsCritical = "basic_constraints_critical"
    /// The path length is 0, so the authority may not certify other authorities.
    case pathLength = "path_length"
    /// The certificate has the key usage of the profile.
    case keyUsage = "key_usage"
    /// The certificate has no key usage other than the key usage of the profile.
    case keyUsageOnly = "key_usage_only"
    /// The extension keyUsage is critical.
    case keyUsageCritical = "key_usage_critical"
    /// The certificate has an extended key usage of the profile. For a profile without extended key usages,
    /// such as the profile of roots, the certificate has none.
    case extendedKeyUsage = "extended_key_usage"
    /// The certificate has at most one extended key usage.
    case extendedKeyUsageOnly = "extended_key_usage_only"
    /// The extension extKeyUsage is critical.
    case extendedKeyUsageCritical = "extended_key_usage_critical"
    /// The authority key identifier is present, and equals the issuer's subject key identifier.
    case authorityKeyIdentifier = "authority_key_identifier"
    /// The certificate has a subject key identifier.
    case subjectKeyIdentifier = "subject_key_identifier"
    /// The subject key identifier is the SHA-1 of the key's bits.
    case subjectKeyIdentifierDigest = "subject_key_identifier_digest"
    /// The extension issuerAltName has an email address or a URI.
    case issuerAlternativeName = "issuer_alternative_name"
    /// The certificate says where revocations are published, in the form that the profile requires.
    case distributionPoint = "distribution_point"
}

extension CertificateRule {
    /// Whether the rule forbids an encoding that every TLS stack accepts. A finding of such a rule is
    /// reported, but never leads to the refusal of a list's signer.
    package var isHarmless: Bool { self == .keyUsageTrailingZeros || self == .booleanTrueNotFF }
}

/// A rule that a certificate breaks.
package struct ProfileFinding: Hashable, Sendable {
    package let rule: CertificateRule
    /// The extension that the finding is about, if the rule covers several extensions; `nil` for other rules.
    package let oid: ObjectIdentifier?
    /// The irregular encodings that the finding is about, if the rule covers encodings; empty for other
    /// rules.
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
    /// The ids of the rules, each with its details.
    var text: String {
        map { finding in
            let details = (finding.oid.map { ["\($0)"] } ?? []) + finding.encoding.descriptions
            let id = finding.rule.rawValue
            return details.isEmpty ? id : "\(id) (\(details.joined(separator: ", ")))"
        }.joined(separator: ", ")
    }
}

/// The strictness with which a certificate profile is applied.
package enum ProfileStrictness: String, Sendable {
    /// A certificate that breaks an enforced rule is refused. Other findings are only reported, because real
    /// certificates break those rules.
    case lenient
    /// A certificate with any finding is refused.
    case strict
}
