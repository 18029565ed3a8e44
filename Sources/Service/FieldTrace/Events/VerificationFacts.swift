package import MdocModel
internal import MdocTrust
package import MdocVerification

/// The checks of one document: their outcomes, and where its issuer or wallet departs from the profile.
package struct DocumentFacts: Equatable, Sendable, Codable {
    /// The document by its word, where it is one of the known ones.
    package enum Kind: String, CaseIterable, Sendable {
        case drivingLicence = "mdl"
        case photoID = "photoid"
        case personID = "pid"
        case ageVerification = "av"
        case other
    }

    package struct Check: Equatable, Sendable, Codable {
        package let id: TraceWord<CheckID>
        package let outcome: TraceWord<Finding>
        package let reason: TraceWord<FailureReason>?
        /// What is wrong with the document signer's certificate.
        package let certificate: TraceWord<CertificateFault>?
    }

    package enum Finding: String, CaseIterable, Sendable {
        case passed, failed, undetermined, skipped
    }

    package let kind: TraceWord<Kind>
    package let checks: [Check]
    package let deviations: [TraceWord<Deviation>]

    init(_ report: DocumentReport, _ kind: Kind) {
        self.kind = TraceWord(kind)
        checks = report.checks.map { check in
            Check(
                id: TraceWord(check.id), outcome: TraceWord(Finding(check.outcome)),
                reason: check.reason.map { TraceWord($0) },
                certificate: check.outcome.certificate.map { TraceWord(CertificateFault($0)) })
        }
        deviations = report.deviations.map { TraceWord($0) }
    }
}

extension DocumentFacts.Finding {
    fileprivate init(_ outcome: CheckReport.Finding) {
        self =
            switch outcome {
            case .passed: .passed
            case .failed: .failed
            case .undetermined: .undetermined
            case .skipped: .skipped
            }
    }
}

extension CheckReport.Finding {
    fileprivate var certificate: IssuerCertificateError? {
        if case .failed(.issuerCertificate(let error)) = self { error } else { nil }
    }
}

/// Why a document signer's certificate is not believed, without what is in it.
package enum CertificateFault: String, CaseIterable, Sendable {
    case malformed, keyNotUsable, encodingIrregular, anchorNotFound, authorityKeyIdentifierMismatch,
        issuerNameMismatch, signatureInvalid, notYetValid, expired, anchorOutsideValidity, docTypeNotTrusted,
        isCertificateAuthority, keyUsageWrong, extendedKeyUsageWrong, countryMissing, countryMismatch,
        unknownCriticalExtension, forbiddenExtension

    init(_ error: IssuerCertificateError) {
        self =
            switch error {
            case .malformed: .malformed
            case .keyNotUsable: .keyNotUsable
            case .encodingIrregular: .encodingIrregular
            case .anchorNotFound: .anchorNotFound
            case .authorityKeyIdentifierMismatch: .authorityKeyIdentifierMismatch
            case .issuerNameMismatch: .issuerNameMismatch
            case .signatureInvalid: .signatureInvalid
            case .notYetValid: .notYetValid
            case .expired: .expired
            case .anchorOutsideValidity: .anchorOutsideValidity
            case .docTypeNotTrusted: .docTypeNotTrusted
            case .isCertificateAuthority: .isCertificateAuthority
            case .keyUsageWrong: .keyUsageWrong
            case .extendedKeyUsageWrong: .extendedKeyUsageWrong
            case .countryMissing: .countryMissing
            case .countryMismatch: .countryMismatch
            case .unknownCriticalExtension: .unknownCriticalExtension
            case .forbiddenExtension: .forbiddenExtension
            }
    }
}
