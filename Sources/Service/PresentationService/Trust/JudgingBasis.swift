package import MdocModel
package import MdocTrust
package import MdocVerification
package import ReaderService
internal import RequestPlanner
package import JSON

/// The trust and policy with which responses are verified.
package struct JudgingBasis: Sendable {
    package let trust: TrustStore
    /// The time at which the trust store's newest list (of issuers or revocations) was fetched or
    /// imported, or `nil` if the trust store has no such list.
    package let obtained: Timestamp?
    /// The time at which this trust was stored, or `nil` if that is unknown.
    package let since: Timestamp?
    /// The verification policy, with the revocation policy that `judging` chose for the request.
    package private(set) var policy: VerificationPolicy
    /// The revocation policy of each purpose.
    package let policies: PurposePolicies

    package init(
        trust: TrustStore, obtained: Timestamp?, since: Timestamp? = nil,
        policy: VerificationPolicy, policies: PurposePolicies = PurposePolicies()
    ) {
        self.trust = trust
        self.obtained = obtained
        self.since = since
        self.policy = policy
        self.policies = policies
    }
}

extension JudgingBasis {
    /// A copy of this value for the requests of one session. The revocation policy of the copy is the last
    /// policy in `choices`. Without a choice it is the strictest revocation policy of the requests' purposes.
    ///
    /// - Parameter choices: the policies of the lane and of the order, if any. Each must be at least as
    ///   strict as the policies of the purposes and as the choice before it.
    /// - Throws: `policyRefused` if one of `choices` is less strict than the policies of the purposes, or
    ///   than the choice before it.
    func judging(
        _ purposes: [RequestPurpose], choosing choices: [RevocationPolicy?] = []
    ) throws(PresentationServiceError) -> JudgingBasis {
        guard let revocation = policies.policy(for: purposes, choosing: choices) else {
            throw .policyRefused
        }
        var basis = self
        basis.policy.revocation = revocation
        return basis
    }
}

extension JudgingBasis {
    /// The age of the trust store's newest list (of issuers or revocations) in seconds, or `nil` if the
    /// store has no such list. The age is 0 if the clock was set back since the list was fetched.
    package func age(at now: Timestamp) -> Int64? {
        obtained.map { max(0, now.secondsSince1970 - $0.secondsSince1970) }
    }
}

/// A source of the trust, the policy and the reader identities.
package protocol JudgingBasisSource: Sendable {
    /// Whether the configured policy accepts test documents.
    var acceptsTestDocuments: Bool { get }

    /// The current trust and policy.
    func basis() async throws(PresentationServiceError) -> JudgingBasis

    /// The reader identities, with the rules that choose one for a request.
    func identities(at now: Timestamp) async throws(PresentationServiceError) -> ReaderIdentityChoice

    /// The reader identity with this name, independent of the rules.
    func identity(named name: String, at now: Timestamp) async throws(PresentationServiceError)
        -> ReaderIdentity
}

extension RevocationPolicy {
    /// The maximum number of days for which a policy may accept a stale revocation list.
    package static let mostStaleDays = 365

    /// Parses a revocation policy: `"age"`, `"rental"`, or `{"rental": 3}`, where 3 is the number of days for
    /// which a revocation list may be stale.
    package init(_ text: JSONText) throws(JSONFault) {
        // A value that is no string is read as an object below, which reports any fault.
        if let word = try? text.string() {
            switch word {
            case "age": self = .age
            case "rental": self = .rental(staleDays: 0)
            default: throw text.wrong("must be \"age\", \"rental\" or {\"rental\": days}")
            }
            return
        }
        self = .rental(
            staleDays: Int(
                try text.members(["rental"]).required("rental").integer(in: 0...Int64(Self.mostStaleDays))))
    }
}
