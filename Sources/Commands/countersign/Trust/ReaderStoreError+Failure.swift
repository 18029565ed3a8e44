internal import JSON
internal import ReaderStore

extension ReaderStoreError {
    /// What the command ends with: what is wrong with the store in `folder`, and what to do.
    func failure(in folder: String) -> CommandFailure {
        let message = "the store in \(Terminal.safe(folder)): \(explanation)"
        return switch self {
        case .damaged, .snapshotDamaged, .notAStore, .versionUnknown, .receiptMalformed: .malformed(message)
        case .busy, .changedMeanwhile, .noSpace, .failed: .unavailable(message)
        default: .usage(message)
        }
    }
}
