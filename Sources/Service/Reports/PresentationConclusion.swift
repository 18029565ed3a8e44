package import ReaderStore

/// The outcome of a presentation and why it is not `allow`.
package struct PresentationConclusion: Equatable, Sendable {
    package let outcome: PresentationOutcome
    /// Ids of checks, of `TransactionError` or of `OutcomeReason`, each once. Empty for `allow` alone.
    package let reasons: [String]

    /// A test issuer signed the document, which the policy does not accept.
    static let testDocument = PresentationConclusion(.unclear, [OutcomeReason.documentTest.rawValue])

    init(_ outcome: PresentationOutcome, _ reasons: [String] = []) {
        self.outcome = outcome
        self.reasons = reasons.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
