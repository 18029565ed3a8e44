internal import CBOR
package import MdocVerification

/// The verdict on a presentation through an app or a web page.
package enum PresentationVerdict: Sendable {
    case verified(VerifiedPresentation)
    /// A test document or a test answer. It proves nothing, even if every check passes.
    case mock(MockPresentation)
    case rejected(RejectedPresentation)
}

/// A verified response, with facts that exist only for an answer through an app or a web page.
package struct VerifiedPresentation: Sendable, RedactedDescription {
    package let response: VerifiedResponse
    /// Whether a second use of the nonce was ruled out. False only for a stored presentation, which may have
    /// been presented before.
    package let isReplayChecked: Bool
    /// The questions about age to which an age in years was returned in place of an answer.
    package let ageStandIns: [AgeStandIn]

    init(
        _ response: VerifiedResponse, isReplayChecked: Bool, comparison: RequestComparison
    ) {
        self.response = response
        self.isReplayChecked = isReplayChecked
        ageStandIns = AgeStandIn.all(in: response, comparedWith: comparison)
    }
}

/// A presentation that was rejected: the results of the checks, without element values.
package struct RejectedPresentation: Sendable {
    /// The failed rules of the channel itself, apart from the checks of the response.
    package let failures: [ChannelFailure]
    /// The results of the checks of the response. If all of these checks passed, the presentation was
    /// rejected only because of `failures`.
    package let checks: CheckedResponse
    /// Whether a second use of the nonce was ruled out.
    package let isReplayChecked: Bool

    init(_ failures: [ChannelFailure], _ judgement: Judgement, isReplayChecked: Bool) {
        self.failures = failures
        self.isReplayChecked = isReplayChecked
        checks = CheckedResponse(judgement)
    }
}

/// A test answer: the sign by which it was recognised, and the results of the checks.
///
/// A mock presentation has no element values, unless the policy accepts test documents.
package struct MockPresentation: Sendable {
    package let sign: MockSign
    package let failures: [ChannelFailure]
    package let checks: CheckedResponse
    /// Whether a second use of the nonce was ruled out.
    package let isReplayChecked: Bool
    /// The presentation with its elements; `nil` unless the policy accepts test documents and every check
    /// passed.
    package let accepted: VerifiedPresentation?

    init(
        _ sign: MockSign, failures: [ChannelFailure], judgement: Judgement, isReplayChecked: Bool,
        accepted: VerifiedPresentation? = nil
    ) {
        self.accepted = accepted
        self.sign = sign
        self.failures = failures
        self.isReplayChecked = isReplayChecked
        checks = CheckedResponse(judgement)
    }
}

/// The results of the checks of a response, without element values.
package struct CheckedResponse: Sendable {
    package let failures: [ResponseFailure]
    /// The status of the response; `nil` if it has none, or if every check passed.
    package let status: UInt64?
    package let reports: [DocumentReport]
    package let notReturned: [NotReturned]
    package let basis: VerificationBasis

    init(_ judgement: Judgement) {
        (basis, reports) = (judgement.basis, judgement.reports)
        switch judgement {
        case .verified(let response):
            (failures, status, notReturned) = ([], nil, response.notReturned)
        case .rejected(let response):
            (failures, status, notReturned) = (response.failures, response.status, response.notReturned)
        }
    }
}

/// A failed rule of the channel, as opposed to a fault of the documents.
package enum ChannelFailure: String, CaseIterable, Error, Sendable {
    /// The device sent a MAC instead of a signature. Without an engagement there is no reader key for a MAC
    /// (Q236).
    case deviceMac = "presentation.device_mac"
    /// The response has more documents than were requested.
    case extraDocument = "presentation.extra_document"
}

extension ChannelFailure {
    /// The failure in words, for messages to users.
    package var explanation: String {
        switch self {
        case .deviceMac: "the phone sent a MAC where only a signature can prove that the phone holds its key"
        case .extraDocument: "the phone returned more documents than were requested"
        }
    }
}
