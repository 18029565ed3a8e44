/// How a presentation ended, in one word: what a till acts on, and what its receipt says.
package enum Outcome: String, CaseIterable, Sendable {
    /// Every check passed, each answer is yes, and the person who was asked approved.
    case allow
    /// A check failed, something is revoked, an answer is no, or the person rejected.
    case deny
    /// An answer is unknown, the policy refuses an unknown revocation, or nobody decided.
    case unclear
    /// The holder returned nothing.
    case declined
    /// The till or the clerk cancelled it before an answer.
    case cancelled
    /// There is nothing to judge.
    case failed
}
