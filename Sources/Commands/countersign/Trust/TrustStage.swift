internal import JSON
internal import MdocModel
internal import MdocTrust
internal import PKIX

/// A change of trust with its report: `TrustChange` decides, and this puts the outcomes in words, among those of lists that could not
/// be fetched. Nothing of the change is current yet.
struct TrustStage {
    private(set) var change: TrustChange
    /// In the order in which the sources were looked at.
    private(set) var outcomes: [SourceOutcome] = []

    init(_ before: TrustSnapshot?, _ rules: TrustRules) {
        change = TrustChange(from: before, by: rules)
    }

    var snapshot: TrustSnapshot { change.snapshot }

    mutating func admit(_ sources: [TrustSource]) {
        report { $0.admit(sources) }
    }

    mutating func replaceAll(by other: TrustSnapshot) {
        report { $0.replaceAll(by: other) }
    }

    mutating func remove(_ source: TrustSource) {
        report { $0.remove(source) }
    }

    /// Adds the outcome of a source that could not be had.
    mutating func add(_ outcome: SourceOutcome) {
        outcomes.append(outcome)
    }

    private mutating func report(_ step: (inout TrustChange) -> Void) {
        let reported = change.outcomes.count
        step(&change)
        outcomes += change.outcomes.dropFirst(reported).map(SourceOutcome.init)
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

    init(_ outcome: TrustChange.Decision) {
        let source = outcome.source
        switch outcome.result {
        case .admitted(let proof):
            let result: Result =
                switch proof.admission {
                case .new: .new
                case .renewed: .renewed
                case .unchanged: .unchanged
                }
            let remarks = outcome.remarks.map(Reason.init)
            self.init(source, result, remarks.first { $0.isOverdue }, remarks)
        case .refused(let refusal): self.init(source, .refused, Reason(refusal, of: source))
        case .removed: self.init(source, .removed, nil)
        }
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
    fileprivate init(_ refusal: AdmissionRefusal, of source: TrustSource) {
        id = refusal.id
        guard case .unusable(let condition) = refusal else {
            detail = refusal.explanation
            return
        }
        var certificate: Certificate?
        if case .certificate(let held) = source.content { certificate = try? held.certificate() }
        let explanation = condition.explanation(of: certificate)
        if case .statusListUnreadable(.text) = condition {
            detail = explanation
        } else {
            detail = explanation + (TextForm(source.bytes).map { "; the bytes are \($0.explanation)" } ?? "")
        }
    }

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
