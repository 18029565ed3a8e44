internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import ReaderStore

/// An export of retained data that its caller has not confirmed yet.
struct PendingExport: Sendable {
    let id: String
    let owner: String
    let reference: RetainedReference
    let records: [RetainedRecord.ID]
}

extension RecordArchive {
    /// The maximum number of unconfirmed exports. The oldest one is dropped first; its data stays and can be
    /// exported again.
    private static let mostPending = 256

    /// Returns the data that is retained for a reference. The data is removed by `finishExport`; until then
    /// it can be exported again, and only the latest export can be finished.
    ///
    /// - Throws: `nothingRetained`, or `recordsUnavailable` if the store cannot be read.
    package func beginExport(
        of reference: RetainedReference, orderedBy owner: String, at now: Timestamp
    ) throws(PresentationServiceError) -> (id: String, export: RetainedExport) {
        let export = try mapping(
            retained.beginExport(of: reference, orderedBy: owner, at: now),
            PresentationServiceError.recordsUnavailable)
        guard !export.records.isEmpty else { throw .nothingRetained }
        guard let id = try? randomBytes(16).hexadecimal else { throw .failed }
        // An earlier export of the reference cannot be finished any more.
        pendingExports.removeAll { $0.owner == owner && $0.reference == reference }
        if pendingExports.count >= Self.mostPending { pendingExports.removeFirst() }
        pendingExports.append(
            PendingExport(id: id, owner: owner, reference: reference, records: export.records.map(\.id)))
        return (id, export)
    }

    /// Removes the data of an export after its caller confirmed it. If the removal fails, the call can be
    /// repeated.
    ///
    /// - Returns: the number of removed records.
    /// - Throws: `exportUnknown`, or `recordsUnavailable` if the store cannot be written.
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
