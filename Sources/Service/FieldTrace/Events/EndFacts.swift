package import MdocModel
internal import MdocSession
internal import MdocTrust
package import MdocVerification
package import ReaderService
package import Reports
internal import RequestPlanner

/// The end of a presentation: the last step that it reached, the reason for its failure, and the advice for
/// the next attempt.
package struct EndFacts: Equatable, Sendable, Codable {
    /// The duration of one phase of the presentation.
    package struct Phase: Equatable, Sendable, Codable {
        package let name: TraceWord<PhaseTime.Name>
        package let milliseconds: Double
    }

    package let milestone: TraceWord<Milestone>
    package let verdict: TraceWord<TransactionReport.Verdict>
    /// The id of the first error, as in reports; `nil` without an error.
    package let error: TraceWord<ErrorID>?
    /// The fault behind `error`; `nil` if no fault belongs to the error.
    package let cause: FaultFacts?
    /// The status with which the phone ended the session; `nil` if the phone did not end it.
    package let sessionStatus: UInt64?
    /// The request that was sent last; `nil` if no request was sent.
    package let request: RequestFacts?
    package let phases: [Phase]
    package let next: TraceWord<NextStep>
}

/// The id of an error in reports. Any text that is not such an id is refused, so that a trace cannot hold
/// other text.
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

    /// Creates the id of an error; `nil` for an error of a presentation through an app or a web page. No
    /// field trace records such a presentation.
    init?(_ cause: TransactionError.Cause) {
        switch cause {
        case .transaction, .response: rawValue = cause.id
        case .channel, .unopened: return nil
        }
    }
}

/// The form of a request, without the requested documents and elements.
package struct RequestFacts: Equatable, Sendable, Codable {
    package let isExtended: Bool
    package let readerAuthentication: TraceWord<SessionRequest.ReaderAuthentication>
    /// The size of the DeviceRequest in bytes.
    package let size: Int

    init(_ request: SessionRequest) {
        isExtended = request.isExtended
        readerAuthentication = TraceWord(request.readerAuthentication)
        size = request.bytes.count
    }
}

/// The last step that a presentation reached. The cases are in the order of the steps.
package enum Milestone: String, CaseIterable, Sendable, Comparable {
    /// No step was reached.
    case nothing
    /// The reader waits for a phone.
    case armed
    /// A phone, or another card, was powered.
    case phoneSeen
    /// The phone accepted the SELECT of a wallet's application.
    case walletSelected
    /// The engagement is complete.
    case engaged
    /// A Bluetooth link has started.
    case connected
    /// The request was sent.
    case requestSent
    /// The answer has begun to arrive.
    case answerBegun
    /// The answer has arrived.
    case answerComplete
    /// The answer was judged.
    case judged

    package static func < (one: Milestone, other: Milestone) -> Bool { one.order < other.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The checks of one document: their outcomes, and the deviations of its issuer or wallet from the profile.
package struct DocumentFacts: Equatable, Sendable, Codable {
    /// The kind of a document: a known family of documents, or `other`.
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
        /// The fault of the document signer's certificate; `nil` unless the check failed because of the
        /// certificate.
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

/// The reason why a document signer's certificate is not trusted, without the contents of the certificate.
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

extension Presentation {
    /// The reports on all documents. If the session had two requests, the documents of both answers are
    /// included.
    var documentReports: [DocumentReport] {
        let reports = (try? result.get())?.reports ?? []
        return earlier.flatMap(\.documentReports) + reports
    }
}

extension DocumentFacts {
    /// Creates the facts of a document's checks. A document of no known family counts as `other`.
    init(_ report: DocumentReport) {
        let family = DocumentFamily.known.first { family in
            family.types.contains { $0.docType == report.docType }
        }
        self.init(report, family.flatMap { Kind(rawValue: $0.word) } ?? .other)
    }
}

extension EndFacts {
    /// Creates the facts of a presentation's end.
    ///
    /// - Parameter milestone: the last step that the presentation reached.
    init(_ presentation: Presentation, reaching milestone: Milestone) {
        let summary = TraceSummary(presentation.result)
        self.milestone = TraceWord(milestone)
        verdict = TraceWord(summary.verdict)
        error = summary.error.map { TraceWord($0) }
        cause = summary.cause
        sessionStatus = summary.sessionStatus
        request = presentation.request.map { RequestFacts($0) }
        phases = presentation.phases.map { phase in
            Phase(name: TraceWord(phase.name), milliseconds: phase.duration.traceMilliseconds)
        }
        next = TraceWord(NextStep(after: presentation))
    }
}

/// The summary of a result, without personal data.
private struct TraceSummary {
    var verdict = TransactionReport.Verdict.incomplete
    var error: ErrorID?
    var cause: FaultFacts?
    var sessionStatus: UInt64?

    init(_ result: Result<Judgement, PresentationFailure>) {
        switch result {
        case .success(let judgement):
            // An expectation would change neither the verdict nor the errors, so none is given.
            // `requestCompared` is true, because a presentation always compares an answer with its request.
            summarise(TransactionReport(judgement, expecting: .nothing, requestCompared: true))
        case .failure(let failure): summarise(failure)
        }
    }

    private mutating func summarise(_ report: TransactionReport) {
        verdict = report.verdict
        error = report.errors.first.flatMap { ErrorID($0.cause) }
    }

    private mutating func summarise(_ failure: PresentationFailure) {
        // `report()` throws only if no reader could be used.
        if let report = try? failure.report() {
            summarise(report)
        } else {
            error = ErrorID(.readerUnavailable)
        }
        switch failure {
        case .readerUnavailable(let fault): cause = FaultFacts(fault)
        case .engagementOverdue(let tap?): cause = FaultFacts(tap)
        case .transfer(let reason): cause = FaultFacts(reason)
        case .radioUnavailable(let fault): cause = FaultFacts(fault)
        case .connection(let fault): cause = FaultFacts(fault)
        case .bluetooth(let reason): cause = FaultFacts(reason)
        // A hostile phone may send any number, so the number is limited.
        case .status(let status): sessionStatus = min(status.rawValue, 255)
        default: break
        }
    }
}
