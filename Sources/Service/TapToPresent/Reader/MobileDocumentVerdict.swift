internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import Reports

/// The results of the checks of an answer: every reason and no element value.
public struct MobileDocumentVerdict: Hashable, Sendable {
    /// The result of one check of a document.
    public struct Check: Hashable, Sendable {
        /// How a check ended.
        public enum Outcome: String, Hashable, Sendable {
            case passed, failed
            /// The check could not be made with what is available.
            case undetermined
            /// An earlier failure left nothing to check.
            case skipped
        }

        /// The check's stable name, such as `issuer_signature`.
        public let id: String
        /// How it ended.
        public let outcome: Outcome
    }

    /// A document that came.
    public struct Document: Hashable, Sendable {
        /// The type it says it is of.
        public let docType: String
        /// The country of the issuer's certificate, believed or not.
        public let issuingCountry: String?
        /// In the order they are made.
        public let checks: [Check]
        /// Departures from the standard's profile that were accepted, by their stable names.
        public let deviations: [String]
        /// `good`, `revoked` or `undetermined`.
        public let revocation: String
    }

    /// Whether every check of every document passed, and none is a test document.
    public let isVerified: Bool
    /// Whether a document is a test issuer's, or says so. It proves nothing, whatever its checks say.
    public let isTest: Bool
    /// In the order they came.
    public let documents: [Document]
    /// What is wrong with the answer itself, by stable names.
    public let responseFailures: [String]
    /// How many elements or documents were asked for and did not come.
    public let notReturnedCount: Int
    /// Whom the reader trusted: the id of the trust snapshot.
    public let trustSnapshot: String

    /// The names of what failed, in the answer and in its documents.
    public var failures: [String] {
        responseFailures
            + documents.flatMap(\.checks).filter { $0.outcome == .failed || $0.outcome == .undetermined }
            .map(\.id)
    }

    init(_ judgement: Judgement) {
        trustSnapshot = "\(judgement.basis.trustSnapshot)"
        switch judgement {
        case .verified(let response):
            isTest = judgement.basis.policy.hasTestDocument(response.reports)
            isVerified = !isTest
            documents = response.reports.map { Document($0) }
            responseFailures =
                judgement.basis.policy.accepts(response) ? [] : [TransactionError.ID.documentTest.rawValue]
            notReturnedCount = response.notReturned.count
        case .rejected(let response):
            isTest = judgement.basis.policy.hasTestDocument(response.reports)
            isVerified = false
            documents = response.reports.map { Document($0) }
            responseFailures = response.failures.map(\.rawValue)
            notReturnedCount = response.notReturned.count
        }
    }
}

extension MobileDocumentVerdict.Document {
    fileprivate init(_ report: DocumentReport) {
        docType = report.docType
        issuingCountry = report.issuer?.country
        checks = report.checks.map { .init(id: $0.id.rawValue, outcome: .init($0.outcome)) }
        deviations = report.deviations.map(\.rawValue)
        revocation = report.revocation.state.rawValue
    }
}

extension MobileDocumentVerdict.Check.Outcome {
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
