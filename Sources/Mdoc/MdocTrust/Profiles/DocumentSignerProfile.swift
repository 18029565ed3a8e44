internal import MdocModel
internal import PKIX

/// The consequences of the findings about a document signer's certificate: the document is refused, or a
/// deviation is reported.
extension CertificateProfile {
    /// Checks a document signer's certificate by this profile.
    ///
    /// - Returns: The deviations to report, for which the certificate is not refused.
    /// - Throws: `IssuerCertificateError` for the first broken rule that leads to a refusal.
    func deviations(
        ofDocumentSigner leaf: Certificate, issuedBy anchor: Certificate
    ) throws(IssuerCertificateError) -> [Deviation] {
        var deviations: [Deviation] = []
        for finding in findings(of: leaf, issuedBy: anchor) {
            if let error = finding.refusal { throw error }
            if let deviation = finding.deviation { deviations.append(deviation) }
        }
        return deviations
    }
}

extension ProfileFinding {
    /// The error with which a certificate with this finding is refused; `nil` if the finding is no reason to
    /// refuse it.
    fileprivate var refusal: IssuerCertificateError? {
        switch rule {
        case .version, .encoding: return .encodingIrregular(encoding)
        case .forbiddenExtension: return oid.map(IssuerCertificateError.forbiddenExtension)
        case .unknownCriticalExtension: return oid.map(IssuerCertificateError.unknownCriticalExtension)
        case .noAuthority: return .isCertificateAuthority
        case .keyUsage: return .keyUsageWrong
        case .extendedKeyUsage: return .extendedKeyUsageWrong
        case .country: return .countryMissing
        case .countryOfIssuer: return .countryMismatch
        default: return nil
        }
    }

    /// The deviation to report for this finding; `nil` if none is defined for the rule.
    fileprivate var deviation: Deviation? {
        switch rule {
        case .keyUsageTrailingZeros: .keyUsageTrailingZeros
        case .booleanTrueNotFF: .booleanTrueNotFF
        case .serialNumber: .dsSerialNumber
        case .signatureAlgorithm: .dsSignatureAlgorithm
        case .publicKey: .dsPublicKey
        case .validityPeriod: .dsLongValidity
        case .countryForm: .dsCountryForm
        case .issuerCountry: .anchorCountryMissing
        case .stateOfIssuer: .dsState
        case .commonName: .dsCommonNameMissing
        case .keyUsageOnly: .dsFurtherKeyUsage
        case .keyUsageCritical: .dsKeyUsageNotCritical
        case .extendedKeyUsageOnly: .dsFurtherExtendedKeyUsage
        case .extendedKeyUsageCritical: .dsExtendedKeyUsageNotCritical
        case .authorityKeyIdentifier: .dsAuthorityKeyIdentifierMissing
        case .subjectKeyIdentifier: .dsSubjectKeyIdentifierMissing
        case .subjectKeyIdentifierDigest: .dsSubjectKeyIdentifierDigest
        case .issuerAlternativeName: .dsIssuerAlternativeName
        case .distributionPoint: .dsDistributionPoint
        default: nil
        }
    }
}
