package import MdocTrust
package import RequestPlanner

/// The revocation policy for each purpose of a request. By default, a document for an age check is accepted
/// while its revocation is undetermined, and a document for any other purpose is refused. The operator can
/// set another policy for a purpose.
package struct PurposePolicies: Equatable, Sendable {
    // With `staleDays` 0 a stale revocation list is not accepted.
    private var policies: [RequestPurpose: RevocationPolicy] = [
        .age: .age, .rental: .rental(staleDays: 0), .identity: .rental(staleDays: 0),
        .elements: .rental(staleDays: 0),
    ]

    package init() {}

    package subscript(purpose: RequestPurpose) -> RevocationPolicy {
        // A purpose without an entry gets the strict policy.
        get { policies[purpose] ?? .rental(staleDays: 0) }
        set { policies[purpose] = newValue }
    }

    /// Returns the revocation policy for all requests of one session: the strictest policy of their purposes,
    /// or a stricter policy that a caller chose.
    ///
    /// - Parameter choices: the policies that callers chose, in order; `nil` for no choice. Each choice must
    ///   accept no more than the policy before it.
    /// - Returns: the policy; `nil` if a choice accepts more than the policy before it, or if `purposes` is
    ///   empty.
    package func policy(
        for purposes: [RequestPurpose], choosing choices: [RevocationPolicy?] = []
    ) -> RevocationPolicy? {
        var policies = purposes.map { self[$0] }
        guard var policy = policies.popLast() else { return nil }
        for other in policies where !policy.isAtLeastAsStrict(as: other) { policy = other }
        for choice in choices.compactMap(\.self) {
            guard choice.isAtLeastAsStrict(as: policy) else { return nil }
            policy = choice
        }
        return policy
    }
}
