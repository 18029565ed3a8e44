internal import MdocModel
internal import MdocTrust
internal import MdocVerification
internal import Reports

/// The results of all checks of an answer, with every reason and no element value.
public struct MobileDocumentVerdict: Hashable, Sendable {
    /// The result of one check of a document.
    public struct Check: Hashable, Sendable {
        /// The outcome of a check.
        public enum Outcome: String, Hashable, Sendable {
            /// The check passed, or it failed.
            case passed, failed
            /// The check could not be made with the available data, such as revocation without a current
            /// list.
            case undetermined
            /// The check was not made, because an earlier check failed.
            case skipped
        }

        /// The check's stable name, such as `issuer_signature`.
        public let id: String
        /// The outcome of the check.
        public let outcome: Outcome
    }

    /// A document in the answer.
    public struct Document: Hashable, Sendable {
        /// The document type that the answer states, such as `org.iso.18013.5.1.mDL`.
        public let docType: String
        /// The country in the issuer's certificate, whether or not that certificate is trusted.
        public let issuingCountry: String?
        /// The checks, in the order in which they are made.
        public let checks: [Check]
        /// The stable names of the accepted deviations from the standard's profile.
        public let deviations: [String]
        /// The revocation state: `good`, `revoked` or `undetermined`.
        public let revocation: String
    }

    /// Whether every check of every document passed and no document is a test document.
    public let isVerified: Bool
    /// Whether at least one document was signed by a test issuer. A test document proves nothing, even if all
    /// its checks passed.
    public let isTest: Bool
    /// The documents, in the order of the answer.
    public let documents: [Document]
    /// The stable names of the failures that concern the whole answer, not a single document.
    public let responseFailures: [String]
    /// The number of requested elements and documents that the phone did not return.
    public let notReturnedCount: Int
    /// The id of the trust snapshot with which the answer was verified.
    public let trustSnapshot: String

    /// The stable names of all failed and undetermined checks, of the answer and its documents.
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
            // The only possible failure of a verified answer is a test document that the policy does not
            // accept.
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
