package import MdocModel
package import MdocTrust
package import RequestPlanner

/// What a receipt says of one presentation. It has no place for an element's value, a certificate's serial number, a digest
/// of the MSO or a date of the document: closed lists, numbers and names out of our own settings are all there is.
package struct ReceiptStatement: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case display, data
    }

    package enum Verdict: String, CaseIterable, Sendable {
        case verified, rejected, declined, cancelled, failed
    }

    /// How the answer was found. A machine checked it, whatever somebody may have seen on a screen.
    package enum Method: String, CaseIterable, Sendable {
        case machineValidation = "machine-validation"
    }

    /// What the person at the counter made of it.
    package enum Decision: String, CaseIterable, Sendable {
        case approved, rejected, dismissed
    }

    /// By what the answer was judged.
    package struct Trust: Hashable, Sendable {
        package let snapshot: TrustSnapshot.ID
        /// Since it was put in place.
        package let ageSeconds: Int64

        package init(snapshot: TrustSnapshot.ID, ageSeconds: Int64) {
            self.snapshot = snapshot
            self.ageSeconds = ageSeconds
        }
    }

    /// The most entries of each list; what is beyond is left out.
    package static let mostEntries = 32

    /// When it ended.
    package let time: Timestamp
    package let lane: ReceiptLabel
    package let kind: Kind
    package let purpose: RequestPurpose
    package let questions: [ReceiptQuestion]
    package let verdict: Verdict
    package let reasons: [ReceiptReason]
    package let documents: [ReceiptDocument]
    /// Nil where there was nothing to judge.
    package let trust: Trust?
    package let policy: ReceiptLabel
    package let software: ReceiptLabel
    package let retention: RetentionProfile
    package let method: Method
    /// Nil where nobody was asked.
    package var decision: Decision?

    package init(
        time: Timestamp, lane: ReceiptLabel, kind: Kind, purpose: RequestPurpose,
        questions: [ReceiptQuestion], verdict: Verdict, reasons: [ReceiptReason] = [],
        documents: [ReceiptDocument] = [], trust: Trust?, policy: ReceiptLabel, software: ReceiptLabel,
        retention: RetentionProfile, method: Method = .machineValidation, decision: Decision? = nil
    ) {
        self.time = time
        self.lane = lane
        self.kind = kind
        self.purpose = purpose
        self.questions = Array(questions.prefix(Self.mostEntries))
        self.verdict = verdict
        self.reasons = Array(reasons.prefix(Self.mostEntries))
        self.documents = Array(documents.prefix(Self.mostEntries))
        self.trust = trust
        self.policy = policy
        self.software = software
        self.retention = retention
        self.method = method
        self.decision = decision
    }
}
