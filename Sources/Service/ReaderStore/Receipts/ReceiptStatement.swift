package import MdocModel
package import MdocTrust
internal import ReaderIdentityStore
package import RequestPlanner

/// What a receipt says of one presentation. It has no place for an element's value, a certificate's serial number, a digest
/// of the MSO or a date of the document: closed lists, numbers and names out of our own settings are all there is.
package struct ReceiptStatement: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case display, data
    }

    package enum Verdict: String, CaseIterable, Sendable {
        case verified, rejected, declined, cancelled, failed
        /// A test issuer signed a document: it proves nothing.
        case mock
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
    /// Whether a document of it is a test issuer's, whatever its checks say.
    package let hasTestDocument: Bool
    package private(set) var reasons: [ReceiptReason]
    package let documents: [ReceiptDocument]
    /// Nil if there was nothing to judge.
    package let trust: Trust?
    package let policy: ReceiptLabel
    package let software: ReceiptLabel
    package let retention: RetentionProfile
    package let method: Method
    /// Nil if nobody was asked.
    package private(set) var decision: Decision?
    /// How the presentation ended. Nil in receipts of versions that did not say it.
    package private(set) var outcome: Outcome?

    package init(
        time: Timestamp, lane: ReceiptLabel, kind: Kind, purpose: RequestPurpose,
        questions: [ReceiptQuestion], verdict: Verdict, hasTestDocument: Bool = false,
        reasons: [ReceiptReason] = [], documents: [ReceiptDocument] = [], trust: Trust?, policy: ReceiptLabel,
        software: ReceiptLabel,
        retention: RetentionProfile, method: Method = .machineValidation, decision: Decision? = nil,
        outcome: Outcome? = nil
    ) {
        self.time = time
        self.lane = lane
        self.kind = kind
        self.purpose = purpose
        self.questions = Array(questions.prefix(Self.mostEntries))
        self.verdict = verdict
        self.hasTestDocument = hasTestDocument || verdict == .mock
        self.reasons = Array(reasons.prefix(Self.mostEntries))
        self.documents = Array(documents.prefix(Self.mostEntries))
        self.trust = trust
        self.policy = policy
        self.software = software
        self.retention = retention
        self.method = method
        self.decision = decision
        self.outcome = outcome
    }

    /// The same with how the presentation ended, and the reasons for that which neither a check nor an error is.
    package func ended(
        _ outcome: Outcome, because further: [ReceiptReason], decision: Decision?
    ) -> ReceiptStatement {
        var ended = self
        ended.outcome = outcome
        let all = (further + reasons).reduce(into: [ReceiptReason]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        ended.reasons = Array(all.prefix(Self.mostEntries))
        ended.decision = decision
        return ended
    }

    /// The same, written only after the store refused it.
    package var delayed: ReceiptStatement {
        var delayed = self
        delayed.reasons =
            Array(reasons.prefix(Self.mostEntries - 1)) + [ReceiptReason(ReceiptGap.delayed)]
        return delayed
    }
}

/// A name out of our own settings, such as a lane's, or a document type: a few letters and digits, no text of a document.
package struct ReceiptLabel: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    package let text: String

    /// Nil unless it is 1 to 64 of `A-Z a-z 0-9 . _ - + ( )`.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || ".-_+()".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// Why a verdict is what it is: an id of one of our closed tables, such as `CheckID`, and never a text.
package struct ReceiptReason: Hashable, Sendable, CustomStringConvertible {
    package let id: String

    /// One of the cases of an enumeration, by its id.
    package init<ID: CaseIterable & RawRepresentable<String>>(_ id: ID) {
        self.id = id.rawValue
    }

    /// As a receipt contains it: ids are 1 to 64 of `a-z 0-9 . _`.
    init?(parsing id: String) {
        guard (1...64).contains(id.utf8.count),
            id.utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "._".utf8.contains(byte)
            })
        else { return nil }
        self.id = id
    }

    package var description: String { id }
}
