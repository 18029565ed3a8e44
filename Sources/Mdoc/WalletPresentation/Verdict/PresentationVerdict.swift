internal import CBOR
package import MdocVerification

package enum PresentationVerdict: Sendable {
    case verified(VerifiedPresentation)
    /// A test document or a test answer: proves nothing, whatever its checks say.
    case mock(MockPresentation)
    case rejected(RejectedPresentation)
}

/// A verified response, with what the channel adds.
package struct VerifiedPresentation: Sendable, RedactedDescription {
    package let response: VerifiedResponse
    /// False only offline, where it may have been presented before.
    package let isReplayChecked: Bool
    /// Where an age came in place of an answer.
    package let ageStandIns: [AgeStandIn]

    init(
        _ response: VerifiedResponse, isReplayChecked: Bool, comparison: RequestComparison
    ) {
        self.response = response
        self.isReplayChecked = isReplayChecked
        ageStandIns = AgeStandIn.all(in: response, comparedWith: comparison)
    }
}

/// A presentation with something wrong: what was checked, and no element value.
package struct RejectedPresentation: Sendable {
    /// Wrong of every presentation without engagement.
    package let failures: [ChannelFailure]
    /// The results of the checks of the response. All of them may have passed if only `failures` reject.
    package let checks: CheckedResponse
    /// As of a verified presentation.
    package let isReplayChecked: Bool

    init(_ failures: [ChannelFailure], _ judgement: Judgement, isReplayChecked: Bool) {
        self.failures = failures
        self.isReplayChecked = isReplayChecked
        checks = CheckedResponse(judgement)
    }
}

/// A test answer: why it is taken for one, and what was checked. No element values, as nothing is to be done with it
/// unless the policy accepts test documents.
package struct MockPresentation: Sendable {
    package let sign: MockSign
    package let failures: [ChannelFailure]
    package let checks: CheckedResponse
    /// As of a verified presentation.
    package let isReplayChecked: Bool
    /// With its elements; nil unless the policy accepts test documents and every check passed.
    package let accepted: VerifiedPresentation?

    init(
        _ sign: MockSign, _ failures: [ChannelFailure], _ judgement: Judgement, isReplayChecked: Bool,
        accepted: VerifiedPresentation? = nil
    ) {
        self.accepted = accepted
        self.sign = sign
        self.failures = failures
        self.isReplayChecked = isReplayChecked
        checks = CheckedResponse(judgement)
    }
}

package struct CheckedResponse: Sendable {
    package let failures: [ResponseFailure]
    /// The status that the wallet gave; nil if it gave none, or where every check passed.
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

/// What is wrong with a presentation beyond its documents.
package enum ChannelFailure: String, CaseIterable, Error, Sendable {
    /// A MAC in place of the device's signature: without an engagement nobody can have made one for us.
    case deviceMac = "presentation.device_mac"
    /// More documents than were asked for.
    case extraDocument = "presentation.extra_document"
}

extension ChannelFailure {
    /// In plain words.
    package var explanation: String {
        switch self {
        case .deviceMac: "the phone sent a MAC where only a signature can prove its key"
        case .extraDocument: "the phone returned more documents than were requested"
        }
    }
}
