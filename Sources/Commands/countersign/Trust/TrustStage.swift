internal import JSON
internal import MdocModel
internal import MdocTrust
internal import PKIX

/// A change of trust in preparation. Each source is checked before it replaces an existing one. Nothing of the
/// change is current yet.
struct TrustStage {
    /// By what sources are let in.
    struct Rules {
        let now: Timestamp
        let clockSkew: Int64
        /// Whether a list that lost much of what it had is taken.
        let acceptsShrunken: Bool
        /// Certificates that documents name for the signers of status lists.
        let signers: [ArraySlice<UInt8>]
    }

    let before: TrustSnapshot
    private(set) var snapshot: TrustSnapshot
    private(set) var outcomes: [SourceOutcome] = []
    private let rules: Rules

    init(_ before: TrustSnapshot, _ rules: Rules) {
        self.before = before
        snapshot = before
        self.rules = rules
    }

    /// Lets in what can be let in: roots before the lists that they or their providers sign.
    mutating func admit(_ sources: [TrustSource]) {
        for kind in TrustSource.Kind.allCases {
            // The snapshot is rebuilt once per kind, not once per source.
            var admitted: [TrustSource.Identity: TrustSource] = [:]
            // A link certificate is let in after the root that signed it.
            let ofKind = sources.filter { $0.kind == kind }
            let links = kind == .anchor ? ofKind.filter(\.isLinkCertificate) : []
            let others = links.isEmpty ? ofKind : ofKind.filter { !$0.isLinkCertificate }
            for (place, source) in (others + links).enumerated() {
                if place >= others.count { put(&admitted) }
                if admitted[source.identity] != nil || kind.isList && admitted.has(likeOf: source) {
                    put(&admitted)
                }
                if admit(source) { admitted[source.identity] = source }
            }
            put(&admitted)
        }
    }

    mutating func add(_ outcome: SourceOutcome) {
        outcomes.append(outcome)
    }

    mutating func remove(_ source: TrustSource) {
        snapshot = snapshot.removing(source.identity)
        outcomes.append(SourceOutcome(removed: source))
    }

    /// Replaces all sources by those of `other`, or none of them if a source may not follow the existing one. An
    /// expired list may: the existing one is not better.
    mutating func replaceAll(by other: TrustSnapshot) {
        // Of the issuers and providers of before and after, so that an issue before can be compared with the one after.
        let both = TrustSnapshot(other.sources + before.sources)
        for source in other.sources {
            do throws(AdmissionRefusal) {
                try before.requireNothingLost(by: source, in: other)
                let admission = try admission(of: source, in: both)
                outcomes.append(SourceOutcome(source, admission, remarks(on: source, in: both)))
            } catch {
                outcomes.append(SourceOutcome(source, error))
            }
        }
        guard !isRefused else { return }
        snapshot = other
        let removed = before.sources.filter { other.source($0.identity) == nil }
        outcomes = removed.map(SourceOutcome.init(removed:)) + outcomes
    }

    /// Whether anything was refused.
    var isRefused: Bool { outcomes.contains { $0.result == .refused } }

    private func admission(
        of source: TrustSource, in both: TrustSnapshot
    ) throws(AdmissionRefusal) -> Admission {
        guard let there = before.source(source.identity) else { return .new }
        guard there.sha256 != source.sha256 else { return .unchanged }
        do throws(AdmissionRefusal) {
            return try comparison(of: source, in: both, at: rules.now)
        } catch .unusable(.vicalRefused(.expired)) {
            // Its time is over; whether it is older or has less than the one before shows at the time of its issue.
            return try comparison(of: source, in: both, at: SourceDescription(source).from ?? rules.now)
        }
    }

    private func comparison(
        of source: TrustSource, in both: TrustSnapshot, at time: Timestamp
    ) throws(AdmissionRefusal) -> Admission {
        do throws(AdmissionRefusal) {
            return try both.admission(
                of: source, at: time, clockSkew: rules.clockSkew, namedIssuers: rules.signers)
        } catch .shrunken where rules.acceptsShrunken {
            return .renewed
        }
    }

    private mutating func put(_ admitted: inout [TrustSource.Identity: TrustSource]) {
        guard !admitted.isEmpty else { return }
        let sources = snapshot.sources.filter { admitted[$0.identity] == nil } + admitted.values
        snapshot = TrustSnapshot(sources)
        for source in sources where source.isIncomplete && snapshot.source(source.identity) == nil {
            outcomes.append(SourceOutcome(removed: source))
        }
        admitted = [:]
    }

    private func remarks(on source: TrustSource, in snapshot: TrustSnapshot) -> [TrustCondition] {
        snapshot.remarks(
            on: source, at: rules.now, clockSkew: rules.clockSkew, namedIssuers: rules.signers)
    }

    /// Whether `source` takes its place.
    private mutating func admit(_ source: TrustSource) -> Bool {
        do throws(AdmissionRefusal) {
            let admission = try snapshot.admission(
                of: source, at: rules.now, clockSkew: rules.clockSkew, namedIssuers: rules.signers)
            let remarks = admission == .unchanged ? [] : remarks(on: source, in: snapshot)
            outcomes.append(SourceOutcome(source, admission, remarks))
            return admission != .unchanged
        } catch {
            if case .shrunken = error, rules.acceptsShrunken {
                outcomes.append(SourceOutcome(source, .renewed, remarks(on: source, in: snapshot)))
                return true
            }
            outcomes.append(SourceOutcome(source, error))
            return false
        }
    }
}

extension [TrustSource.Identity: TrustSource] {
    /// Whether there is a list of the name and issuer of `source`.
    fileprivate func has(likeOf source: TrustSource) -> Bool {
        let complete = source.identity.complete
        return keys.contains { $0.complete == complete }
    }
}

/// What became of one source.
struct SourceOutcome {
    enum Result: String, CaseIterable {
        case new, renewed, unchanged, removed
        /// It was refused; what is there stays.
        case refused
        /// It could not be had; what is there stays.
        case failed
    }

    /// Why it was refused or failed, or what is to be known about a list that was let in.
    struct Reason {
        let id: String
        let detail: String
        /// Whether the list should have been renewed (Q217, Q230).
        var isOverdue = false
    }

    let kind: TrustSource.Kind
    let name: String
    /// What people know it by.
    let title: String
    let result: Result
    let reason: Reason?
    /// Remarks on a list that was let in: mended or left out entries, and whether the list is overdue.
    let remarks: [Reason]

    init(_ source: TrustSource, _ admission: Admission, _ remarks: [TrustCondition]) {
        let result: Result =
            switch admission {
            case .new: .new
            case .renewed: .renewed
            case .unchanged: .unchanged
            }
        let reasons = remarks.map(Reason.init)
        self.init(source, result, reasons.first { $0.isOverdue }, reasons)
    }

    init(_ source: TrustSource, _ refusal: AdmissionRefusal) {
        guard case .unusable(let condition) = refusal else {
            self.init(source, .refused, Reason(id: refusal.id, detail: refusal.explanation))
            return
        }
        var detail = condition.explanation(of: try? Certificate(der: source.bytes))
        if case .statusListUnreadable(.text) = condition {
        } else if let form = TextForm(source.bytes) {
            detail += "; the bytes are \(form.explanation)"
        }
        self.init(source, .refused, Reason(id: refusal.id, detail: detail))
    }

    init(removed source: TrustSource) {
        self.init(source, .removed, nil)
    }

    /// The source could not be had.
    init(_ identity: TrustSource.Identity, failed reason: Reason) {
        self.init(identity.kind, identity.name, Terminal.safe(identity.name), .failed, reason)
    }

    private init(
        _ source: TrustSource, _ result: Result, _ reason: Reason?, _ remarks: [Reason] = []
    ) {
        self.init(source.kind, source.name, SourceDescription(source).title, result, reason, remarks)
    }

    private init(
        _ kind: TrustSource.Kind, _ name: String, _ title: String, _ result: Result, _ reason: Reason?,
        _ remarks: [Reason] = []
    ) {
        self.remarks = remarks
        self.kind = kind
        self.name = name
        self.title = title
        self.result = result
        self.reason = reason
    }
}

extension SourceOutcome.Reason {
    fileprivate init(_ condition: TrustCondition) {
        id = condition.id
        guard case .listStale = condition else {
            detail = condition.explanation
            return
        }
        isOverdue = true
        detail =
            "\(condition.explanation); results say so, and a policy that refuses what is unknown may refuse them"
    }
}
