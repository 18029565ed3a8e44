package import JSON
internal import MdocModel
internal import MdocVerification
package import WalletPresentation

/// The result of a presentation through an app or the web, in the form in which the command line and the daemon
/// report it.
package struct ChannelReport: Sendable {
    package enum Verdict: Sendable {
        /// Every check passed.
        case verified
        /// A test document or a test answer: proves nothing, and has no element values unless the policy accepts it.
        case mock(MockSign)
        /// A check failed, or could not be made.
        case rejected
        /// The bytes are not the message they should be.
        case malformed

        package var word: String {
            switch self {
            case .verified: "verified"
            case .mock: "mock"
            case .rejected: "rejected"
            case .malformed: "malformed"
            }
        }
    }

    package let verdict: Verdict
    /// False if nobody knows whether it was presented before.
    package let isReplayChecked: Bool
    /// The checks, and the elements where it is verified. Of a mock they are those of a rejected response, unless the
    /// policy accepts it.
    package var response: TransactionReport
    /// Where an age came in place of an answer.
    let ageStandIns: [AgeStandIn]

    /// - Parameters:
    ///   - requestCompared: whether what came was compared with what was asked for.
    ///   - expectation: what the outcome and the exit code depend on, beside the checks.
    package init(
        _ verdict: PresentationVerdict, requestCompared: Bool, expecting expectation: AnswerExpectation
    ) {
        switch verdict {
        case .verified(let presentation):
            self.verdict = .verified
            ageStandIns = presentation.ageStandIns
            isReplayChecked = presentation.isReplayChecked
            response = TransactionReport(
                .verified(presentation.response), expecting: expectation, requestCompared: requestCompared)
        case .mock(let presentation):
            self.verdict = .mock(presentation.sign)
            ageStandIns = presentation.accepted?.ageStandIns ?? []
            isReplayChecked = presentation.isReplayChecked
            response =
                presentation.accepted.map {
                    TransactionReport(
                        .verified($0.response), expecting: expectation, requestCompared: requestCompared)
                }
                ?? TransactionReport(
                    rejecting: presentation.checks, presentation.failures, expecting: expectation,
                    requestCompared: requestCompared)
        case .rejected(let presentation):
            self.verdict = .rejected
            ageStandIns = []
            isReplayChecked = presentation.isReplayChecked
            response = TransactionReport(
                rejecting: presentation.checks, presentation.failures, expecting: expectation,
                requestCompared: requestCompared)
        }
    }

    /// What was not opened: malformed where bytes do not decode, else rejected.
    package init(unopened error: WalletPresentationError, isReplayChecked: Bool) {
        let reported = TransactionError(error)
        (verdict, response) =
            error.isAboutForm ? (.malformed, .malformed(reported)) : (.rejected, .rejected(reported))
        self.isReplayChecked = isReplayChecked
        ageStandIns = []
    }

    /// A file that is not what it claims to be.
    package init(malformed error: TransactionError) {
        (verdict, response) = (.malformed, .malformed(error))
        isReplayChecked = false
        ageStandIns = []
    }
}

extension TransactionReport {
    fileprivate init(
        rejecting checks: CheckedResponse, _ failures: [ChannelFailure],
        expecting expectation: AnswerExpectation, requestCompared: Bool
    ) {
        self.init(
            rejecting: checks.reports,
            for: failures.map { TransactionError($0) }
                + checks.failures.map { TransactionError($0, status: checks.status) },
            notReturned: checks.notReturned, expecting: expectation, requestCompared: requestCompared,
            basis: checks.basis)
    }
}

extension ChannelReport {
    /// The members that `countersign verify` has, with what a channel adds.
    package func json(portrait: PortraitForm) -> JSONValue {
        .object(
            [
                ("verdict", .string(verdict.word)), ("mockSign", JSONValue(mockSign?.rawValue)),
                ("isReplayChecked", .boolean(isReplayChecked)),
                (
                    "ageStandIns",
                    .array(
                        ageStandIns.map {
                            ["docType": .string($0.docType), "years": .integer(Int64($0.years))]
                        })
                ),
            ] + conclusion.members(missing: response.missing) + response.members(portrait: portrait))
    }

    /// The outcome, as of a presentation nearby. A mock that the policy does not accept is never more than unclear.
    package var conclusion: Conclusion {
        if case .mock = verdict, !response.isAccepted { return .testDocument }
        return response.conclusion
    }

    private var mockSign: MockSign? {
        if case .mock(let sign) = verdict { sign } else { nil }
    }
}

extension ChannelReport {
    /// For a person, fit for a terminal.
    package func text(elements: ElementDisplay) -> String {
        var lines = response.lines(elements: elements, under: headline)
        lines += ageStandIns.map {
            "  over \($0.years): an age in years came in its place, as of the day of issue; it tells more"
        }
        if !isReplayChecked {
            lines.append("Replays cannot be seen here: it may have been presented before.")
        }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        switch verdict {
        case .mock where response.isAccepted: response.headline
        case .mock(let sign): "MOCK: \(sign.explanation)  [\(sign.rawValue)]"
        case .verified, .rejected, .malformed: response.headline
        }
    }
}
