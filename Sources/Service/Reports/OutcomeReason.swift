/// A reason why an outcome is not `allow`, other than a check or a `TransactionError`.
package enum OutcomeReason: String, CaseIterable, Sendable {
    /// The answer to a question is no.
    case answerNo = "answer.no"
    /// The answer to a question is unknown.
    case answerUnknown = "answer.unknown"
    /// A needed element was not returned, or no requested element was returned.
    case elementNotReturned = "element.not_returned"
    /// A needed element was returned with a value that is empty or has the wrong type.
    case elementUnusable = "element.unusable"
    /// The person who had to decide rejected the answer.
    case decisionRejected = "decision.rejected"
    /// The person who had to decide closed the presentation without a decision.
    case decisionDismissed = "decision.dismissed"
    /// Nobody decided in time.
    case decisionOverdue = "decision.overdue"
    /// A test issuer signed a document, and the policy accepts no test documents.
    case documentTest = "document.test"
    /// The response is rejected, and no check gives a reason.
    case responseRejected = "response.rejected"
    /// The daemon ended before the presentation did.
    case restarted

    package var explanation: String {
        switch self {
        case .answerNo: "the document's answer to a question is \"no\""
        case .answerUnknown: "the document does not answer every question: ask for another document"
        case .elementUnusable:
            "a needed element came with a value that cannot be used: ask for another document"
        case .elementNotReturned:
            "not everything that is needed was shared: ask again, and ask the holder to share it"
        case .decisionRejected: "the person who had to decide rejected the presentation"
        case .decisionDismissed: "the person who had to decide closed the presentation without a decision"
        case .decisionOverdue: "nobody decided in time: repeat the order, and decide on the clerk's page"
        case .documentTest: "a test issuer signed the document, which proves nothing"
        case .responseRejected: "the answer is rejected, but no check gave a reason"
        case .restarted: "the daemon ended before the presentation did: order again with a new reference"
        }
    }
}
