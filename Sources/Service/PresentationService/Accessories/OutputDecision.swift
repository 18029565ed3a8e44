internal import Accessories
internal import ReaderService

/// The facts of an ended presentation that decide whether an output acts.
struct OutputFacts: Equatable, Sendable {
    let outcome: AccessoryOutcome
    /// The engagement by which the phone was met, or `nil` if no phone was engaged.
    let engagement: OutputRule.Engagement?
    let method: OutputRule.Method
    /// Whether a test issuer signed a document, or `nil` if no document was judged.
    let isTest: Bool?
}

/// The decision of an output's rule about an ended presentation.
enum OutputDecision: Equatable, Sendable {
    /// The output has nothing to do for this outcome. Nothing is recorded.
    case silent
    /// The output does not accept how the outcome was found.
    case refused
    /// The output acts.
    case due
}

extension Accessory {
    /// Decides whether the output acts on an outcome. A scanner is always silent.
    ///
    /// `allow` opens and sells. It therefore needs an engagement and a method that the rule lists. A test
    /// document needs a trial accessory, whatever the outcome is. A fact that is missing counts against the
    /// output.
    func decide(on facts: OutputFacts) -> OutputDecision {
        guard let rule = output?.rule, rule.outcomes.contains(facts.outcome) else { return .silent }
        if facts.isTest == true, !isTrial { return .refused }
        guard facts.outcome == .allow else { return .due }
        // `allow` without a judged document does not occur. If a bug made one, nothing may open.
        guard facts.isTest != nil, let engagement = facts.engagement,
            rule.engagements.contains(engagement), rule.methods.contains(facts.method)
        else { return .refused }
        return .due
    }
}

extension OutputRule.Engagement {
    /// The word of an output's rule for an engagement. Both versions of NFC engagement are taps.
    init(_ kind: EngagementKind) {
        self =
            switch kind {
            case .nfc, .nfcV2: .nfc
            case .qr: .qr
            }
    }
}
