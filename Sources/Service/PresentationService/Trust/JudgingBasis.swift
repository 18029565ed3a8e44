package import MdocModel
package import MdocTrust
package import MdocVerification
package import ReaderService
internal import RequestPlanner
package import JSON

/// The current trust and policy for judging answers.
package struct JudgingBasis: Sendable {
    package let trust: TrustStore
    /// When the newest list of the trust store was obtained; nil if it has none.
    package let obtained: Timestamp?
    /// Since when this trust is in place; nil if nobody says.
    package let since: Timestamp?
    /// With the revocation policy of the request, once `judging` chose one.
    package private(set) var policy: VerificationPolicy
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
    /// The basis for requests of these purposes in one session. Refused where somebody chose a policy that accepts more.
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
    /// How old the newest list is, in seconds.
    package func age(at now: Timestamp) -> Int64? {
        obtained.map { max(0, now.secondsSince1970 - $0.secondsSince1970) }
    }
}

/// Where the basis comes from, and in whose name is asked.
package protocol JudgingBasisSource: Sendable {
    /// As the configuration has it, whoever is trusted.
    var acceptsTestDocuments: Bool { get }

    func basis() async throws(PresentationServiceError) -> JudgingBasis

    /// Those who may ask, by the rules that choose among them.
    func identities(at now: Timestamp) async throws(PresentationServiceError) -> ReaderIdentityChoice

    /// The one identity of this name, whatever the rules say.
    func identity(named name: String, at now: Timestamp) async throws(PresentationServiceError)
        -> ReaderIdentity
}

extension RevocationPolicy {
    /// The most days for which a list may be stale.
    package static let mostStaleDays = 365

    /// `"age"`, `"rental"`, or the latter with the days that a list may be stale: `{"rental": 3}`.
    package init(_ text: JSONText) throws(JSONFault) {
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
