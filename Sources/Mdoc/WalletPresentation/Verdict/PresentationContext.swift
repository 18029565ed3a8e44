package import MdocModel
package import MdocTrust
package import MdocVerification

/// What a presentation is verified against: all that is neither in it nor in its request.
package struct PresentationContext: Sendable {
    package let comparison: RequestComparison
    package let trust: TrustStore
    /// Issuers of test documents: what verifies with them is a mock.
    package let testTrust: TrustStore?
    package let now: Timestamp
    private let day: FullDate?
    package let policy: VerificationPolicy

    /// - Parameter day: the day of `now` at the premises; nil takes the day in UTC.
    package init(
        comparison: RequestComparison, trust: TrustStore, testTrust: TrustStore? = nil, now: Timestamp,
        day: FullDate? = nil, policy: VerificationPolicy
    ) {
        self.comparison = comparison
        self.trust = trust
        self.testTrust = testTrust
        self.now = now
        self.day = day
        self.policy = policy
    }

    func verification(_ transcript: SessionTranscript, trust other: TrustStore? = nil) -> VerificationContext
    {
        VerificationContext(
            transcript: transcript, comparison: comparison, readerKey: nil, trust: other ?? trust, now: now,
            day: day, policy: policy)
    }
}
