package import MdocModel
package import MdocTrust
internal import ReaderIdentityStore
package import RequestPlanner

/// The contents of a receipt: a statement about one request of a presentation.
///
/// A statement records that a presentation took place, what was asked, and how it ended. A statement has no
/// personal data: its members are values from closed lists, numbers, and names from this reader's settings.
/// There is no place for an element's value, a certificate's serial number, a digest of the MSO or a date of
/// the document.
///
/// A presentation gets one statement for the first request, and a second one for the second request (`then`).
/// The states of a statement:
///
/// 1. While the presentation continues, `RecordArchive` keeps statements that report an interruption
///    (`ReceiptGap.interrupted`).
/// 2. When the response is judged and a person is to decide, statements with the result replace these
///    statements.
/// 3. At the end `ended(_:because:decision:from:)` adds outcome and decision, and `ReaderStore.end` appends the
///    receipt.
///
/// The encoding is deterministic CBOR, and parsing accepts only the exact encoding that `encoded()` gives.
///
/// A statement has version 1 or 2. Version 2 adds members for the phone's engagement, the proof, other methods
/// and the source of the decision (`ReceiptStatement+Version2.swift`). A statement without these members has
/// version 1, and its encoding is the same as before version 2 existed.
///
/// A member is permanent once a version with it is released. To add a member: make it optional, encode it only
/// if it is set, read it in `read(_:)`, and raise `ReceiptContent.latestVersion` unless the member belongs to a
/// version that was not released. Hubs of earlier versions refuse the new statement.
package struct ReceiptStatement: Hashable, Sendable {
    /// The kind of the request: the caller receives answers only (`display`), or elements too (`data`).
    package enum Kind: String, CaseIterable, Sendable {
        case display, data
    }

    /// The verdict on the response, or the ending of a presentation without a response.
    package enum Verdict: String, CaseIterable, Sendable {
        case verified, rejected, declined, cancelled, failed
        /// A test issuer signed a document. The response therefore proves nothing.
        case mock
    }

    /// The decision of the person at the counter.
    package enum Decision: String, CaseIterable, Sendable {
        case approved, rejected, dismissed
    }

    /// The trust snapshot with which the response was judged.
    package struct Trust: Hashable, Sendable {
        package let snapshot: TrustSnapshot.ID
        /// The time since the snapshot became current, in seconds.
        package let ageSeconds: Int64

        package init(snapshot: TrustSnapshot.ID, ageSeconds: Int64) {
            self.snapshot = snapshot
            self.ageSeconds = ageSeconds
        }
    }

    /// The maximum number of entries in each list; further entries are left out.
    package static let mostEntries = 32

    /// The time at which the presentation ended; the time of the order if the presentation was interrupted.
    package let time: Timestamp
    package let lane: ReceiptLabel
    package let kind: Kind
    package let purpose: RequestPurpose
    package let questions: [ReceiptQuestion]
    package let verdict: Verdict
    /// Whether a test issuer signed one of the documents. Always true with the verdict `mock`, and possible
    /// with other verdicts.
    package let hasTestDocument: Bool
    package private(set) var reasons: [ReceiptReason]
    package let documents: [ReceiptDocument]
    /// The trust snapshot with which the response was judged; `nil` if there was nothing to judge.
    package let trust: Trust?
    package let policy: ReceiptLabel
    package let software: ReceiptLabel
    package let retention: RetentionProfile
    package let method: Method
    /// The decision; `nil` if nobody was asked.
    package private(set) var decision: Decision?
    /// The outcome of the presentation; `nil` in receipts of earlier versions.
    package private(set) var outcome: Outcome?
    /// The id of the receipt of an earlier presentation, if this presentation repeats the earlier order, for
    /// example because a person pressed the wrong key. `nil` for a new order, or if the earlier presentation
    /// has no receipt.
    package let repeats: ReceiptLabel?
    /// How the phone was met; `nil` if no phone was met, and in statements of version 1.
    package let engagement: Engagement?
    /// How the response proves its elements; `nil` if no response was judged, and in statements of version 1.
    package let proof: Proof?
    /// The source of the decision; `nil` if nobody was asked, and in statements of version 1.
    package private(set) var decisionSource: DecisionSource?

    package init(
        time: Timestamp, lane: ReceiptLabel, kind: Kind, purpose: RequestPurpose,
        questions: [ReceiptQuestion], verdict: Verdict, hasTestDocument: Bool = false,
        reasons: [ReceiptReason] = [], documents: [ReceiptDocument] = [], trust: Trust?, policy: ReceiptLabel,
        software: ReceiptLabel,
        retention: RetentionProfile, method: Method = .machineValidation, decision: Decision? = nil,
        outcome: Outcome? = nil, repeats: ReceiptLabel? = nil, engagement: Engagement? = nil,
        proof: Proof? = nil, decidedFrom decisionSource: DecisionSource? = nil
    ) {
        self.time = time
        self.lane = lane
        self.kind = kind
        self.purpose = purpose
        self.questions = Array(questions.prefix(Self.mostEntries))
        self.verdict = verdict
        // `encoded()` leaves this member out for `mock`, so it follows from the verdict.
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
        self.repeats = repeats
        self.engagement = engagement
        self.proof = proof
        self.decisionSource = decisionSource
    }

    /// Returns a copy with the outcome, the decision and further reasons.
    ///
    /// - Parameters:
    ///   - further: the reasons that are neither failed checks nor errors. These reasons come before the
    ///     existing reasons, so that they are not cut off by `mostEntries`.
    ///   - source: the source of the decision, if known. Left out if there is no decision.
    package func ended(
        _ outcome: Outcome, because further: [ReceiptReason], decision: Decision?,
        from source: DecisionSource? = nil
    ) -> ReceiptStatement {
        var ended = self
        ended.outcome = outcome
        // A reason that is in both lists is kept once.
        let all = (further + reasons).reduce(into: [ReceiptReason]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        ended.reasons = Array(all.prefix(Self.mostEntries))
        ended.decision = decision
        ended.decisionSource = decision == nil ? nil : source
        return ended
    }

    /// A copy with the reason `receipt.delayed`, for a receipt that the store refused when the presentation
    /// ended.
    package var delayed: ReceiptStatement {
        var delayed = self
        // One entry fewer, so that the list has room for the new reason.
        delayed.reasons =
            Array(reasons.prefix(Self.mostEntries - 1)) + [ReceiptReason(ReceiptGap.delayed)]
        return delayed
    }
}

/// A name from this reader's settings, such as a lane's, or a document type. A label has only letters, digits
/// and a few signs, so it cannot contain free text from a document.
package struct ReceiptLabel: Hashable, Sendable, CustomStringConvertible {
    package static let maximumLength = 64

    package let text: String

    /// Creates a label from 1 to 64 characters of `A-Z a-z 0-9 . _ - + ( )`; `nil` for any other text.
    package init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || ".-_+()".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    package var description: String { text }
}

/// A reason for a verdict or an outcome: an id from a closed table of this program, such as `CheckID`, never
/// free text.
package struct ReceiptReason: Hashable, Sendable, CustomStringConvertible {
    package let id: String

    /// Creates a reason from a case of an enumeration.
    package init<ID: CaseIterable & RawRepresentable<String>>(_ id: ID) {
        self.id = id.rawValue
    }

    /// Creates a reason from the id in a receipt; `nil` unless the id is 1 to 64 characters of `a-z 0-9 . _`.
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

/// The outcome of a presentation, which a till acts on and a receipt records.
package enum Outcome: String, CaseIterable, Sendable {
    /// Every check passed and every answer is yes. If a person at the counter had to decide, the person
    /// approved.
    case allow
    /// A check failed, a document is revoked, an answer is no, or the person at the counter rejected the
    /// holder.
    case deny
    /// A check could not be made, an answer is unknown, a needed element is missing or unusable, a document
    /// is a test document, or nobody decided.
    case unclear
    /// The holder declined: the phone returned no data.
    case declined
    /// The till or the clerk cancelled the presentation before a response came.
    case cancelled
    /// The presentation failed, so there is nothing to judge.
    case failed
}

/// The reason why a receipt has no result of its presentation, or why it was written late.
package enum ReceiptGap: String, CaseIterable, Sendable {
    /// The daemon ended before the outcome was written.
    case interrupted = "receipt.interrupted"
    /// The store refused the receipt when the presentation ended, and accepted it later.
    case delayed = "receipt.delayed"
}
