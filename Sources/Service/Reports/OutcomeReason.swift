/// Why an outcome is not `allow`, where neither a check nor a `TransactionError` is the reason.
package enum OutcomeReason: String, CaseIterable, Sendable {
    case answerNo = "answer.no"
    case answerUnknown = "answer.unknown"
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
}
