package import MdocModel
package import MdocTrust
package import MdocVerification

/// The inputs of a verification, apart from the presentation and its transcript.
package struct PresentationContext: Sendable {
    package let comparison: RequestComparison
    package let trust: TrustStore
    /// The trust in issuers of test documents. A presentation that verifies only with this trust is a mock.
    package let testTrust: TrustStore?
    package let now: Timestamp
    private let day: FullDate?
    package let policy: VerificationPolicy

    /// Collects the inputs of a verification.
    ///
    /// - Parameter day: The day of `now` in the time zone of the premises; `nil` takes the day in UTC.
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

    /// Returns the inputs for the verification of the response. There is no reader key, because a channel
    /// without engagement has none.
    func verification(_ transcript: SessionTranscript, trust other: TrustStore? = nil) -> VerificationContext
    {
        VerificationContext(
            transcript: transcript, comparison: comparison, readerKey: nil, trust: other ?? trust, now: now,
            day: day, policy: policy)
    }
}
