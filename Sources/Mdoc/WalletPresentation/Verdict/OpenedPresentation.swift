internal import CBOR
package import MdocModel
internal import MdocVerification
internal import MdocTrust

/// A presentation through an app or a web page, decrypted and parsed.
///
/// **Responsibility.** So far only one fact is verified: the answer was encrypted for this verifier, in this
/// request. `verify(in:)` does the rest:
///
/// - the checks of a presentation to a reader nearby (ISO/IEC 18013-5 9.3), with the transcript of the
///   channel;
/// - the rules of a channel without engagement: no MAC (Q236), and no more documents than requested;
/// - the signs of a mock answer, which is never verified.
///
/// **Callers.** `WalletEnvelope` (apps) and `EncryptedResponse` (web pages) make this value. They consume a
/// `SpentNonce`, so that one nonce opens one presentation.
///
/// **Limits.** The value gives access to no element. Only a `VerifiedPresentation` or an accepted
/// `MockPresentation` does.
package struct OpenedPresentation: Sendable, RedactedDescription {
    package let channel: PresentationChannel
    let response: UnverifiedResponse
    /// The transcript to which the wallet's answer is bound.
    package let transcript: SessionTranscript
    let isReplayChecked: Bool
    let isOfPublishedExample: Bool

    /// Makes every check of a presentation to a reader nearby, and the checks of a channel without
    /// engagement.
    package func verify(in context: PresentationContext) -> PresentationVerdict {
        let failures = failures(comparedWith: context.comparison)
        let judgement = response.verify(in: context.verification(transcript))
        // A mock is recognised first, because no till may act on the documents of a mock, even if every check
        // passes.
        if let sign = isOfPublishedExample
            ? .publishedExample : judgement.reports.lazy.compactMap(\.mockSign).first
        {
            return .mock(
                MockPresentation(
                    sign, failures: failures, judgement: judgement, isReplayChecked: isReplayChecked))
        }
        switch judgement {
        case .verified(let verified) where failures.isEmpty:
            let presentation = VerifiedPresentation(
                verified, isReplayChecked: isReplayChecked, comparison: context.comparison)
            guard context.policy.hasTestDocument(verified.reports) else { return .verified(presentation) }
            return .mock(
                MockPresentation(
                    .testTrust, failures: [], judgement: judgement, isReplayChecked: isReplayChecked,
                    accepted: context.policy.accepts(verified) ? presentation : nil))
        case .rejected where isVerified(inTestTrustOf: context):
            return .mock(
                MockPresentation(
                    .testTrust, failures: failures, judgement: judgement, isReplayChecked: isReplayChecked))
        default:
            return .rejected(RejectedPresentation(failures, judgement, isReplayChecked: isReplayChecked))
        }
    }

    /// Whether the response passes every check with `testTrust`, the trust in issuers of test documents.
    private func isVerified(inTestTrustOf context: PresentationContext) -> Bool {
        // Test issuers are tried only after the check with the real trust has failed. A test document is
        // therefore never reported as verified.
        guard let trust = context.testTrust else { return false }
        guard case .verified = response.verify(in: context.verification(transcript, trust: trust))
        else {
            return false
        }
        return true
    }

    /// Returns the failed rules of a channel without engagement.
    ///
    /// A MAC is refused, because the channel has no reader key with which a MAC can be made. More documents
    /// than requested are refused. An app may request only one document.
    private func failures(comparedWith comparison: RequestComparison) -> [ChannelFailure] {
        var failures: [ChannelFailure] = []
        if response.documents.contains(where: { $0.deviceSigned.deviceMac != nil }) {
            failures.append(.deviceMac)
        }
        if hasExtraDocument(comparison) { failures.append(.extraDocument) }
        return failures
    }

    /// Whether the response has more documents than requested, in total or of one type.
    private func hasExtraDocument(_ comparison: RequestComparison) -> Bool {
        if channel == .app { return response.documents.count > 1 }
        guard case .requested(let requests) = comparison else { return false }
        guard response.documents.count <= requests.count else { return true }
        return Set(response.documents.map(\.docType)).contains { docType in
            response.documents.count { $0.docType == docType }
                > requests.count { $0.docType == docType }
        }
    }
}
