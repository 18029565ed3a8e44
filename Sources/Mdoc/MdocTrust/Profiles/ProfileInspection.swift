internal import OpenSSLCrypto
internal import PKIX

/// The check of one certificate by each rule of one profile.
struct ProfileInspection {
    let profile: CertificateProfile
    let certificate: Certificate
    let issuer: Certificate?

    /// The extensions that may be critical, because this reader evaluates them, or because they do not change
    /// what the certificate is trusted for.
    private static let understood: Set<ObjectIdentifier> = [
        .subjectKeyIdentifier, .keyUsage, .subjectAlternativeName, .issuerAlternativeName, .basicConstraints,
        .crlDistributionPoints, .certificatePolicies, .authorityKeyIdentifier, .extendedKeyUsage,
    ]
    private static let forbidden: Set<ObjectIdentifier> = [
        .policyMappings, .nameConstraints, .policyConstraints, .inhibitAnyPolicy, .freshestCRL,
    ]

    /// Checks one rule. A rule about extensions or encodings can give several findings.
    func findings(_ rule: CertificateRule) -> [ProfileFinding] {
        switch rule {
        case .encoding: encodingFindings(rule, certificate.deviations.subtracting(.harmless))
        case .keyUsageTrailingZeros:
            encodingFindings(rule, certificate.deviations.intersection(.trailingZeroBits))
        case .booleanTrueNotFF: encodingFindings(rule, certificate.deviations.intersection(.booleanTrueNotFF))
        case .forbiddenExtension:
            certificate.extensions.filter { Self.forbidden.contains($0.oid) }
                .map { ProfileFinding(rule, $0.oid) }
        case .unknownCriticalExtension:
            certificate.extensions.filter {
                // The rule `forbiddenExtension` reports the forbidden extensions.
                $0.isCritical && !Self.understood.contains($0.oid) && !Self.forbidden.contains($0.oid)
            }.map { ProfileFinding(rule, $0.oid) }
        default: meets(rule) ? [] : [ProfileFinding(rule)]
        }
    }

    private func encodingFindings(_ rule: CertificateRule, _ encoding: EncodingDeviations) -> [ProfileFinding]
    {
        encoding.isEmpty ? [] : [ProfileFinding(rule, encoding: encoding)]
    }

    /// Whether the certificate meets a rule that gives at most one finding.
    private func meets(_ rule: CertificateRule) -> Bool {
        switch rule {
        case .version: certificate.version == 3
        case .serialNumber: (8...20).contains(certificate.serialNumber.count) && isSerialNumberPositive
        case .signatureAlgorithm: isSignedWithECDSA
        case .publicKey: hasKeyOfProfile
        case .validityPeriod: certificate.notAfter - certificate.notBefore <= profile.longestValidity
        case .selfSigned: isSelfSigned
        case .commonName: certificate.subject.commonName != nil
        case .country, .countryForm, .issuerCountry, .countryOfIssuer, .stateOfIssuer: meetsPlaceRule(rule)
        case .authority, .noAuthority, .basicConstraintsCritical, .pathLength: meetsAuthorityRule(rule)
        case .keyUsage, .keyUsageOnly, .keyUsageCritical, .extendedKeyUsage, .extendedKeyUsageOnly,
            .extendedKeyUsageCritical:
            meetsUsageRule(rule)
        case .authorityKeyIdentifier: hasIssuersKeyIdentifier
        case .subjectKeyIdentifier: certificate.subjectKeyIdentifier != nil
        case .subjectKeyIdentifierDigest: isKeyIdentifierDigest
        case .issuerAlternativeName: certificate.namesContactOfIssuer
        case .distributionPoint: hasDistributionPoint
        // These rules can give several findings, so `findings` checks them and does not call this function.
        case .encoding, .keyUsageTrailingZeros, .booleanTrueNotFF, .forbiddenExtension,
            .unknownCriticalExtension:
            true
        }
    }

    private var isSerialNumberPositive: Bool {
        certificate.deviations.isDisjoint(with: [.serialNumberNotPositive, .serialNumberTooLong])
    }

    private var isSignedWithECDSA: Bool {
        guard case .curve(.ecdsa, _) = certificate.issuerAlgorithm else { return false }
        return true
    }

    /// Whether the key is on a curve that the profile allows, and its point is not compressed.
    private var hasKeyOfProfile: Bool {
        guard let curve = certificate.subjectPublicKeyInfo.curve else { return false }
        switch curve.family {
        // 04 is the first byte of a point that is not compressed.
        case .weierstrass: return certificate.subjectPublicKeyInfo.publicKeyBits.first == 0x04
        // Annex B allows Ed25519 and Ed448 for document signers and readers, but not for roots.
        case .edwards: return !profile.rules.contains(.authority)
        // Keys on Montgomery curves serve for key agreement and cannot sign.
        case .montgomery: return false
        }
    }

    private var isSelfSigned: Bool {
        guard certificate.isSelfIssued else { return false }
        do throws(OpenSSLCryptoError) {
            try certificate.verifySignature(with: certificate.subjectPublicKeyInfo.authorityKey())
            return true
        } catch {
            return false
        }
    }

    /// Whether the certificate meets a rule about country or state.
    private func meetsPlaceRule(_ rule: CertificateRule) -> Bool {
        let (subject, issuerSubject) = (certificate.subject, issuer?.subject)
        switch rule {
        case .country: return subject.countryName != nil
        case .countryForm: return subject.countryName == nil || subject.hasCountryInCapitals
        // If the issuer is unknown, there is no country to compare with, so the rule counts as met.
        case .issuerCountry: return issuer == nil || issuerSubject?.countryName != nil
        // Other rules report a missing country.
        case .countryOfIssuer:
            guard let country = issuerSubject?.countryName, let own = subject.countryName else { return true }
            return own.utf8.elementsEqual(country.utf8)
        // The only other rule here is `stateOfIssuer`.
        default:
            guard let state = issuerSubject?.stateOrProvinceName else { return true }
            return subject.stateOrProvinceName?.utf8.elementsEqual(state.utf8) == true
        }
    }

    /// Whether the certificate meets a rule about its status as an authority.
    private func meetsAuthorityRule(_ rule: CertificateRule) -> Bool {
        let constraints = certificate.basicConstraints
        switch rule {
        case .authority: return constraints?.isCA == true
        // The rule `authority` reports missing basic constraints.
        case .basicConstraintsCritical:
            return constraints == nil || certificate.isCritical(.basicConstraints)
        case .pathLength: return constraints?.pathLength == 0
        // The only other rule here is `noAuthority`.
        default:
            let usage = certificate.keyUsage ?? []
            return constraints?.isCA != true && usage.isDisjoint(with: [.keyCertSign, .cRLSign])
        }
    }

    /// Whether the certificate meets a rule about key usage or extended key usage.
    private func meetsUsageRule(_ rule: CertificateRule) -> Bool {
        let usage = certificate.keyUsage
        let purposes = certificate.extendedKeyUsage
        switch rule {
        case .keyUsage: return usage?.isSuperset(of: profile.keyUsage) == true
        // Another rule reports a missing key usage.
        case .keyUsageOnly: return usage.map { $0.isSubset(of: profile.keyUsage) } ?? true
        case .keyUsageCritical: return usage == nil || certificate.isCritical(.keyUsage)
        case .extendedKeyUsage:
            guard !profile.extendedKeyUsages.isEmpty else { return purposes == nil }
            guard let purposes else { return profile.allowsNoExtendedKeyUsage }
            return purposes.contains(where: profile.extendedKeyUsages.contains)
        case .extendedKeyUsageOnly: return (purposes?.count ?? 0) <= 1
        // The only other rule here is `extendedKeyUsageCritical`.
        default: return purposes == nil || certificate.isCritical(.extendedKeyUsage)
        }
    }

    private var hasIssuersKeyIdentifier: Bool {
        guard let identifier = certificate.authorityKeyIdentifier else { return false }
        // If the issuer is unknown or has no key identifier, there is nothing to compare with.
        return issuer?.subjectKeyIdentifier.map { $0 == identifier } ?? true
    }

    private var isKeyIdentifierDigest: Bool {
        // Another rule reports a missing identifier.
        guard let identifier = certificate.subjectKeyIdentifier else { return true }
        return (try? certificate.subjectPublicKeyInfo.keyIdentifier())?.elementsEqual(identifier) == true
    }

    /// Whether the certificate says where revocations are published, in the form that the profile requires.
    private var hasDistributionPoint: Bool {
        let isPresent = certificate.firstExtension(.crlDistributionPoints) != nil
        switch profile.distributionPoint {
        case .uri: return certificate.hasDistributionPointsByURI
        case .uriIfPresent: return !isPresent || certificate.hasDistributionPointsByURI
        case .uriOrResponder:
            return isPresent ? certificate.hasDistributionPointsByURI : certificate.namesStatusResponder
        case .present: return isPresent
        }
    }
}
