/// Why an outcome is not `allow`, where neither a check nor a `TransactionError` is the reason.
package enum OutcomeReason: String, CaseIterable, Sendable {
    case answerNo = "answer.no"
    case answerUnknown = "answer.unknown"
    /// A required element did not come, or nothing came of what was asked for.
    case elementNotReturned = "element.not_returned"
    /// An element that is needed came, and its value is empty or not of its type.
    case elementUnusable = "element.unusable"
    case decisionRejected = "decision.rejected"
    case decisionDismissed = "decision.dismissed"
    /// Nobody decided in time.
    case decisionOverdue = "decision.overdue"
    /// The issuer of a document is for tests, which the policy does not accept.
    case documentTest = "document.test"
    /// A response is rejected, and no check says why.
    case responseRejected = "response.rejected"
    /// The daemon ended before the presentation did.
    case restarted

    package var explanation: String {
        switch self {
        case .answerNo: "the document answers no to what was asked"
        case .answerUnknown: "the document does not answer all that was asked: ask for another document"
        case .elementUnusable:
            "an element that is needed came and cannot be used: ask for another document"
        case .elementNotReturned: "what is needed was not all shared: ask again and have it shared"
        case .decisionRejected: "the person who compared rejected it"
        case .decisionDismissed: "the person who was to compare closed it without a decision"
        case .decisionOverdue: "nobody decided in time: order again, and decide on the clerk's page"
        case .documentTest: "a test issuer signed the document, which proves nothing"
        case .responseRejected: "the answer is rejected, and no check says why"
        case .restarted: "the daemon ended before the presentation did: order again with a new reference"
        }
    }
}
