package import MdocModel
internal import MdocSession
internal import MdocTrust
package import MdocVerification
package import ReaderService
package import Reports

/// How a presentation ended: how far it came, and what to try next.
package struct EndFacts: Equatable, Sendable, Codable {
    package struct Phase: Equatable, Sendable, Codable {
        package let name: TraceWord<PhaseTime.Name>
        package let milliseconds: Double
    }

    package let milestone: TraceWord<Milestone>
    package let verdict: TraceWord<TransactionReport.Verdict>
    /// The id of what went wrong, as in reports.
    package let error: TraceWord<ErrorID>?
    package let cause: FaultFacts?
    /// The status with which the phone ended the session.
    package let sessionStatus: UInt64?
    /// Of the request that went out last.
    package let request: RequestFacts?
    package let phases: [Phase]
    package let next: TraceWord<NextStep>
}

/// The id of an error in reports. One that is not listed there cannot be made.
package struct ErrorID: RawRepresentable, CaseIterable, Equatable, Sendable {
    package let rawValue: String

    package static let allCases = TransactionError.knownIDs.compactMap { ErrorID(rawValue: $0) }

    package init?(rawValue: String) {
        guard TransactionError.knownIDs.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    init(_ id: TransactionError.ID) {
        rawValue = id.rawValue
    }

    /// Nil for an error of another way to present than nearby.
    init?(_ cause: TransactionError.Cause) {
        switch cause {
        case .transaction, .response: rawValue = cause.id
        case .channel, .unopened: return nil
        }
    }
}

/// What was sent, without what was asked.
package struct RequestFacts: Equatable, Sendable, Codable {
    package let isExtended: Bool
    package let readerAuthentication: TraceWord<SessionRequest.ReaderAuthentication>
    /// In bytes.
    package let size: Int

    init(_ request: SessionRequest) {
        isExtended = request.isExtended
        readerAuthentication = TraceWord(request.readerAuthentication)
        size = request.bytes.count
    }
}

/// How far a presentation came, in this order.
package enum Milestone: String, CaseIterable, Sendable, Comparable {
    case nothing
    /// A phone is waited for.
    case armed
    /// A phone, or another card, had power.
    case phoneSeen
    /// It let its wallet be selected.
    case walletSelected
    case engaged
    /// A link over Bluetooth is started.
    case connected
    case requestSent
    case answerBegun
    case answerComplete
    case judged

    package static func < (one: Milestone, other: Milestone) -> Bool { one.order < other.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

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
        package let outcome: TraceWord<Outcome>
        package let reason: TraceWord<FailureReason>?
        /// What is wrong with the document signer's certificate.
        package let certificate: TraceWord<CertificateFault>?
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case passed, failed, undetermined, skipped
    }

    package let kind: TraceWord<Kind>
    package let checks: [Check]
    package let deviations: [TraceWord<Deviation>]

    init(_ report: DocumentReport, _ kind: Kind) {
        self.kind = TraceWord(kind)
        checks = report.checks.map { check in
            Check(
                id: TraceWord(check.id), outcome: TraceWord(Outcome(check.outcome)),
                reason: check.reason.map { TraceWord($0) },
                certificate: check.outcome.certificate.map { TraceWord(CertificateFault($0)) })
        }
        deviations = report.deviations.map { TraceWord($0) }
    }
}

extension DocumentFacts.Outcome {
    fileprivate init(_ outcome: CheckReport.Outcome) {
        self =
            switch outcome {
            case .passed: .passed
            case .failed: .failed
            case .undetermined: .undetermined
            case .skipped: .skipped
            }
    }
}

extension CheckReport.Outcome {
    fileprivate var certificate: IssuerCertificateError? {
        if case .failed(.issuerCertificate(let error)) = self { error } else { nil }
    }
}

/// Why a document signer's certificate is not believed, without what is in it.
private enum CertificateFault: String, CaseIterable, Sendable {
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
