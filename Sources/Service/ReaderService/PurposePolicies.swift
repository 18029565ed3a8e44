package import MdocTrust
package import RequestPlanner

/// By which revocation policy a request is judged: what it is for chooses. An age is believed where revocation is not
/// known; all else is refused, unless the operator sets another policy for the purpose.
package struct PurposePolicies: Equatable, Sendable {
    private var policies: [RequestPurpose: RevocationPolicy] = [
        .age: .age, .rental: .rental(staleDays: 0), .identity: .rental(staleDays: 0),
        .elements: .rental(staleDays: 0),
    ]

    package init() {}

    package subscript(purpose: RequestPurpose) -> RevocationPolicy {
        get { policies[purpose] ?? .rental(staleDays: 0) }
        set { policies[purpose] = newValue }
    }

    /// The policy of a request, and of what is asked further in its session: the strictest of their purposes, or a
    /// stricter choice. Each choice counts only where it accepts no more than the policy before it; else the result is nil.
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
