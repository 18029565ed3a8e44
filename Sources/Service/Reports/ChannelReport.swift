package import JSON
internal import MdocModel
internal import MdocVerification
package import WalletPresentation

/// The result of a presentation through an app or a web page, as the command line and the daemon report it.
package struct ChannelReport: Sendable {
    /// The verdict on a presentation through an app or a web page.
    package enum Verdict: Sendable {
        /// Every check passed.
        case verified
        /// A test document or a test answer, which proves nothing. Element values are included only if the
        /// policy accepts test documents.
        case mock(MockSign)
        /// A check failed, or could not be made.
        case rejected
        /// The bytes do not decode as the expected message.
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
    /// Whether the answer was compared with earlier answers, so that a repeated answer would be detected.
    package let isReplayChecked: Bool
    /// The report on the response: the checks, and the elements of a verified response. A test document or a
    /// test answer is reported like a rejected response, unless the policy accepts test documents.
    package var response: TransactionReport
    /// The age questions for which an age in years was returned instead of an age attestation.
    let ageStandIns: [AgeStandIn]

    /// Creates the report on a verdict.
    ///
    /// - Parameters:
    ///   - requestCompared: whether the answer was compared with the request.
    ///   - expectation: the requirements on the answer in addition to its checks.
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
                // The answer is not accepted, so the report must not include element values.
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

    /// Creates the report on a presentation that could not be opened. The verdict is `malformed` if the bytes
    /// do not decode, and `rejected` otherwise.
    package init(unopened error: WalletPresentationError, isReplayChecked: Bool) {
        let reported = TransactionError(error)
        (verdict, response) =
            error.isAboutForm ? (.malformed, .malformed(reported)) : (.rejected, .rejected(reported))
        self.isReplayChecked = isReplayChecked
        ageStandIns = []
    }

    /// Creates the report on a file that does not have the expected format.
    package init(malformed error: TransactionError) {
        // A malformed file has no answer that could be compared with earlier answers (`isReplayChecked`).
        (verdict, response) = (.malformed, .malformed(error))
        isReplayChecked = false
        ageStandIns = []
    }
}

extension TransactionReport {
    /// Creates the report on a response whose elements must not be reported.
    ///
    /// - Parameter failures: the failed rules that apply only to a presentation through an app or a web page.
    ///   The failed checks of the response are in `checks`.
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
    /// Returns the report as JSON: the members that `countersign verify` writes, and the members `mockSign`,
    /// `isReplayChecked` and `ageStandIns`, which exist only for a presentation through an app or a web page.
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

    /// The outcome, by the same rules as for a presentation over NFC or Bluetooth. The outcome of a test
    /// document or a test answer is `unclear` if the policy does not accept test documents.
    package var conclusion: Conclusion {
        if case .mock = verdict, !response.isAccepted { return .testDocument }
        return response.conclusion
    }

    private var mockSign: MockSign? {
        if case .mock(let sign) = verdict { sign } else { nil }
    }
}

extension ChannelReport {
    /// Returns the report as text for a terminal.
    package func text(elements: ElementDisplay) -> String {
        var lines = response.lines(elements: elements, under: headline)
        lines += ageStandIns.map {
            "  over \($0.years): the wallet sent an age in years instead of yes or no; that age is as of the day of issue, and reveals more than was asked"
        }
        if !isReplayChecked {
            lines.append("Replays cannot be detected here: this answer may have been presented before.")
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
