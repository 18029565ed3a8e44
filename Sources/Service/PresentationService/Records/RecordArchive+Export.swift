internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import ReaderStore

/// What was handed out and waits for its caller to say that it arrived.
struct PendingExport: Sendable {
    let id: String
    let owner: String
    let reference: RetainedReference
    let records: [RetainedRecord.ID]
}

extension RecordArchive {
    /// How many may wait; the oldest are handed out again where they are asked for.
    private static let mostPending = 256

    /// Hands out what is retained for a reference. `finish` removes it; until then it can be handed out again, and the
    /// export before cannot be finished any more.
    package func beginExport(
        of reference: RetainedReference, orderedBy owner: String, at now: Timestamp
    ) throws(PresentationServiceError) -> (id: String, export: RetainedExport) {
        let export = try mapping(
            retained.beginExport(of: reference, orderedBy: owner, at: now),
            PresentationServiceError.recordsUnavailable)
        guard !export.records.isEmpty else { throw .nothingRetained }
        guard let id = try? randomBytes(16).hexadecimal else { throw .failed }
        pendingExports.removeAll { $0.owner == owner && $0.reference == reference }
        if pendingExports.count >= Self.mostPending { pendingExports.removeFirst() }
        pendingExports.append(
            PendingExport(id: id, owner: owner, reference: reference, records: export.records.map(\.id)))
        return (id, export)
    }

    /// Its caller confirms what was handed out, which is then removed. Where that fails the call can be repeated.
    ///
    /// - Returns: of how many records.
    package func finishExport(_ id: String, of owner: String) throws(PresentationServiceError) -> Int {
        guard let export = pendingExports.first(where: { $0.id == id && $0.owner == owner }) else {
            throw .exportUnknown
        }
        do throws(ReaderStoreError) {
            try retained.finish(export.records)
        } catch {
            failed(.exported, error)
            throw .recordsUnavailable(error)
        }
        succeeded(.exported)
        pendingExports.removeAll { $0.id == id }
        return export.records.count
    }
}
