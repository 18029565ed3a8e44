internal import JSON
package import ReaderStore
package import RequestPlanner

extension ReaderStoreError {
    /// What the command ends with: what is wrong with the store in `folder`, and what to do.
    package func failure(in folder: String) -> CommandFailure {
        let message = "the store in \(Terminal.safe(folder)): \(explanation)"
        return switch self {
        case .damaged, .snapshotDamaged, .notAStore, .versionUnknown, .receiptMalformed: .malformed(message)
        case .busy, .changedMeanwhile, .noSpace, .failed: .unavailable(message)
        default: .usage(message)
        }
    }
}

extension RequestPlannerError {
    /// A request that cannot be planned is wrong usage.
    package var failure: CommandFailure { .usage(explanation) }
}
