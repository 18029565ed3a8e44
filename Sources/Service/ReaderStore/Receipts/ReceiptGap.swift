/// Why a receipt does not say, or not in time, what came of its presentation.
package enum ReceiptGap: String, CaseIterable, Sendable {
    /// The daemon ended before the outcome was written.
    case interrupted = "receipt.interrupted"
    /// The store did not accept it when the presentation ended.
    case delayed = "receipt.delayed"
}
