package import CBOR
package import MdocModel
package import MdocTrust
internal import MdocVerification
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
/// 3. At the end `ended(_:because:decision:)` adds outcome and decision, and `ReaderStore.end` appends the
///    receipt.
///
/// The encoding is deterministic CBOR, and parsing accepts only the exact encoding that `encoded()` gives. To
/// add a member: make it optional, encode it only if it is set, read it in `read(_:)`. Older receipts then
/// parse unchanged; older versions of this program refuse a receipt with the new member.
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

    /// The method by which the response was checked: always by this program, and never by a person who looks
    /// at a phone's screen.
    package enum Method: String, CaseIterable, Sendable {
        case machineValidation = "machine-validation"
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

    package init(
        time: Timestamp, lane: ReceiptLabel, kind: Kind, purpose: RequestPurpose,
        questions: [ReceiptQuestion], verdict: Verdict, hasTestDocument: Bool = false,
        reasons: [ReceiptReason] = [], documents: [ReceiptDocument] = [], trust: Trust?, policy: ReceiptLabel,
        software: ReceiptLabel,
        retention: RetentionProfile, method: Method = .machineValidation, decision: Decision? = nil,
        outcome: Outcome? = nil, repeats: ReceiptLabel? = nil
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
    }

    /// Returns a copy with the outcome, the decision and further reasons.
    ///
    /// - Parameter further: the reasons that are neither failed checks nor errors. These reasons come before
    ///   the existing reasons, so that they are not cut off by `mostEntries`.
    package func ended(
        _ outcome: Outcome, because further: [ReceiptReason], decision: Decision?
    ) -> ReceiptStatement {
        var ended = self
        ended.outcome = outcome
        // A reason that is in both lists is kept once.
        let all = (further + reasons).reduce(into: [ReceiptReason]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        ended.reasons = Array(all.prefix(Self.mostEntries))
        ended.decision = decision
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

extension ReceiptStatement {
    /// Returns the deterministic encoding (RFC 8949 4.2.1).
    package func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("time", integer: time.secondsSince1970)
            map.set("lane", text: lane.text)
            map.set("kind", text: kind.rawValue)
            map.set("purpose", text: purpose.rawValue)
            map.set("questions", array: questions.map { $0.encoded() })
            map.set("verdict", text: verdict.rawValue)
            // The verdict `mock` already shows that a test issuer signed.
            if hasTestDocument, verdict != .mock { map.set("test") { $0.boolean(true) } }
            map.set("reasons", array: reasons.map { reason in CBOREncoder.encode { $0.text(reason.id) } })
            map.set("documents", array: documents.map { $0.encoded() })
            if let trust {
                map.set("trustSnapshot", bytes: trust.snapshot.bytes)
                map.set("trustAge", integer: trust.ageSeconds)
            }
            map.set("policy", text: policy.text)
            map.set("software", text: software.text)
            map.set("retention", text: retention.name)
            map.set("method", text: method.rawValue)
            if let decision { map.set("decision", text: decision.rawValue) }
            if let outcome { map.set("outcome", text: outcome.rawValue) }
            if let repeats { map.set("repeats", text: repeats.text) }
        }
    }

    /// Parses a statement. Throws `receiptMalformed` unless the bytes are exactly what `encoded()` gives: an
    /// unknown member or another order of members is refused too.
    package init(_ item: CBORItem) throws(ReaderStoreError) {
        guard let statement = try? Self.read(item), item.encoded.elementsEqual(statement.encoded()) else {
            throw .receiptMalformed
        }
        self = statement
    }

    private static func read(_ item: CBORItem) throws -> ReceiptStatement {
        let map = try item.map()
        let trust = try map["trustSnapshot"].map { snapshot in
            let id = [UInt8](try snapshot.byteString())
            guard id.count == 32 else { throw ReaderStoreError.receiptMalformed }
            return Trust(
                snapshot: TrustSnapshot.ID(bytes: id),
                ageSeconds: try map["trustAge"].required().integer())
        }
        return ReceiptStatement(
            time: try Timestamp(received: map["time"].required().integer()).required(),
            lane: try map["lane"].label(), kind: try map["kind"].word(),
            purpose: try map["purpose"].word(),
            questions: try map["questions"].required().array().map { try ReceiptQuestion($0) },
            verdict: try map["verdict"].word(), hasTestDocument: try map["test"]?.boolean() ?? false,
            reasons: try map["reasons"].required().array().map {
                try ReceiptReason(parsing: $0.text()).required()
            },
            documents: try map["documents"].required().array().map { try ReceiptDocument($0) },
            trust: trust, policy: try map["policy"].label(), software: try map["software"].label(),
            retention: try RetentionProfile(map["retention"].required().text()).required(),
            method: try map["method"].word(),
            // `word()` is a function of `CBORItem?` that throws for `nil`. Through `map` it is not called for
            // an absent member, which stays `nil`.
            decision: try map["decision"].map { try Optional($0).word() },
            outcome: try map["outcome"].map { try Optional($0).word() },
            repeats: try map["repeats"].map { try Optional($0).label() })
    }
}

extension ReceiptQuestion {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("ask", text: subject.description)
            map.set("answer", text: answer.rawValue)
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        let subject = try Subject(parsing: map["ask"].required().text()).required()
        self.init(subject, try map["answer"].word())
    }
}

extension ReceiptDocument {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("docType", text: docType.text)
            if let issuer {
                map.set("authority", text: issuer.authority)
                if let country = issuer.country { map.set("country", text: country) }
            }
            map.set("revocation", text: revocation.state.rawValue)
            if let age = revocation.ageSeconds { map.set("revocationAge", integer: age) }
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        let state: String = try map["revocation"].required().text()
        self.init(
            docType: try map["docType"].label(),
            issuer: try map["authority"].map { authority in
                try Issuer(naming: authority.text(), in: map["country"]?.text()).required()
            },
            revocation: Revocation(
                state: try RevocationFinding.State(rawValue: state).required(),
                ageSeconds: try map["revocationAge"]?.integer()))
    }
}

extension Optional {
    fileprivate func required() throws -> Wrapped {
        guard let self else { throw ReaderStoreError.receiptMalformed }
        return self
    }
}

extension Optional<CBORItem> {
    fileprivate func label() throws -> ReceiptLabel {
        try ReceiptLabel(required().text()).required()
    }

    fileprivate func word<Word: RawRepresentable<String>>() throws -> Word {
        try Word(rawValue: required().text()).required()
    }
}

/// A CBOR map with text keys in the order of RFC 8949 4.2.1, so that equal contents have equal encodings.
struct DeterministicMap {
    private var members: [(key: [UInt8], value: [UInt8])] = []

    mutating func set(_ key: String, _ write: (inout CBOREncoder) -> Void) {
        members.append((CBOREncoder.encode { $0.text(key) }, CBOREncoder.encode(write)))
    }

    mutating func set(_ key: String, text: String) {
        set(key) { $0.text(text) }
    }

    mutating func set(_ key: String, integer: Int64) {
        set(key) { $0.integer(integer) }
    }

    mutating func set(_ key: String, bytes: [UInt8]) {
        set(key) { $0.byteString(bytes) }
    }

    mutating func set(_ key: String, array items: [[UInt8]]) {
        set(key) { encoder in
            encoder.array(count: items.count)
            for item in items { encoder.encoded(item) }
        }
    }

    /// Returns the encoded map. All keys must be different.
    func encoded() -> [UInt8] {
        let ordered = members.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        return CBOREncoder.encode { encoder in
            encoder.map(count: ordered.count)
            for member in ordered {
                encoder.encoded(member.key)
                encoder.encoded(member.value)
            }
        }
    }

    static func encode(_ body: (inout DeterministicMap) -> Void) -> [UInt8] {
        var map = DeterministicMap()
        body(&map)
        return map.encoded()
    }
}
