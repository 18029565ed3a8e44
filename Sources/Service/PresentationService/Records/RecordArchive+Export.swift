internal import ErrorMapping
package import MdocModel
internal import OpenSSLCrypto
package import ReaderStore

/// An export of retained data that its caller has not confirmed yet.
struct PendingExport: Sendable {
    let id: String
    /// The owners whose data the caller could export when the export began.
    let owners: Set<RetentionOwner>
    let reference: RetainedReference
    let records: [RetainedRecord.ID]
    /// The presentations in memory whose data is in the export.
    let presentations: [PresentationID]
}

extension RecordArchive {
    /// The maximum number of unconfirmed exports. The oldest one is dropped first; its data stays and can be
    /// exported again.
    private static let mostPending = 256

    /// Returns the data that is retained for a reference. The data is removed by `finishExport`; until then
    /// it can be exported again, and only the latest export can be finished.
    ///
    /// - Parameter presentations: the presentations in memory whose data was retained before this call.
    /// - Throws: `nothingRetained`, or `recordsUnavailable` if the store cannot be read.
    fileprivate func beginExport(
        of reference: RetainedReference, for access: RetentionAccess, of presentations: [PresentationID],
        at now: Timestamp
    ) throws(PresentationServiceError) -> (id: String, export: RetainedExport) {
        let owners = try owners(for: access)
        let export = try mapping(
            retained.beginExport(of: reference, orderedBy: owners.map(\.text), at: now),
            PresentationServiceError.recordsUnavailable)
        guard !export.records.isEmpty else { throw .nothingRetained }
        guard let id = try? randomBytes(16).hexadecimal else { throw .failed }
        // An earlier export of the reference cannot be finished any more.
        dropExports(of: reference, ownedBy: owners)
        if pendingExports.count >= Self.mostPending { pendingExports.removeFirst() }
        pendingExports.append(
            PendingExport(
                id: id, owners: owners, reference: reference, records: export.records.map(\.id),
                presentations: presentations))
        return (id, export)
    }

    /// Removes the data of an export after its caller confirmed it. If the removal fails, the call can be
    /// repeated.
    ///
    /// - Returns: the number of removed records.
    /// - Throws: `exportUnknown`, or `recordsUnavailable` if the store cannot be written.
    fileprivate func finishExport(
        _ id: String, for access: RetentionAccess
    ) throws(PresentationServiceError) -> PendingExport {
        guard let export = pendingExports.first(where: { $0.id == id }),
            export.owners.allSatisfy(access.covers)
        else { throw .exportUnknown }
        do throws(ReaderStoreError) {
            try retained.finish(export.records)
        } catch {
            failed(.exported, error)
            throw .recordsUnavailable(error)
        }
        succeeded(.exported)
        pendingExports.removeAll { $0.id == id }
        return export
    }

    /// Deletes the data that is retained for a reference, without handing it out. An unconfirmed export of the
    /// reference cannot be finished any more.
    ///
    /// - Returns: the number of deleted records.
    /// - Throws: `nothingRetained`, or `recordsUnavailable` if the store cannot be written.
    fileprivate func delete(
        _ reference: RetainedReference, for access: RetentionAccess, at now: Timestamp
    ) throws(PresentationServiceError) -> Int {
        let owners = try owners(for: access)
        let count: Int64
        do throws(ReaderStoreError) {
            count = try retained.delete(reference, orderedBy: owners.map(\.text), at: now)
        } catch {
            failed(.exported, error)
            throw .recordsUnavailable(error)
        }
        guard count > 0 else { throw .nothingRetained }
        succeeded(.exported)
        dropExports(of: reference, ownedBy: owners)
        return Int(count)
    }

    /// The owners of retained data that a caller may export and delete.
    private func owners(
        for access: RetentionAccess
    ) throws(PresentationServiceError) -> Set<RetentionOwner> {
        let owners = try mapping(retained.owners(), PresentationServiceError.recordsUnavailable)
        return Set(owners.map { RetentionOwner(stored: $0) }.filter(access.covers))
    }

    /// Forgets the unconfirmed exports of a reference whose owners include any of `owners`, so that these
    /// exports cannot be finished.
    private func dropExports(of reference: RetainedReference, ownedBy owners: Set<RetentionOwner>) {
        pendingExports.removeAll { $0.reference == reference && !$0.owners.isDisjoint(with: owners) }
    }
}

extension PresentationCoordinator {
    /// The rule by which a caller exports and deletes retained data.
    package func retentionAccess(of caller: KnownCaller) -> RetentionAccess {
        // `laneNames` is added, because a lane that was removed from the configuration while it was in
        // use keeps running.
        RetentionAccess(caller, lanes: configuredLanes.union(laneNames))
    }

    /// Deletes the caller's data under a reference: the retained data, and the elements that are still in
    /// memory. Receipts stay.
    ///
    /// - Returns: the number of deleted records.
    /// - Throws: `referenceBusy` while a presentation of the reference is not over, since its data would
    ///   arrive after the deletion; nothing is deleted then. `nothingRetained` if there is no retained data;
    ///   even then, elements in memory are removed.
    package func delete(
        _ reference: RetainedReference, named name: String, in archive: RecordArchive, for caller: KnownCaller
    ) async throws(PresentationServiceError) -> Int {
        let access = retentionAccess(of: caller)
        if let id = book.unfinished(retainedUnder: name, by: caller.name, where: access.covers) {
            throw .referenceBusy(id)
        }
        perform(book.wipeElements(retainedUnder: name, by: caller.name, where: access.covers))
        let presentations = book.retaining(under: name, by: caller.name, where: access.covers)
        let count = try await archive.delete(reference, for: access, at: now)
        book.deletedRetained(of: presentations)
        return count
    }

    /// Returns the caller's data that is retained under a reference. The data stays until `finishExport`.
    ///
    /// - Parameter name: the reference as text.
    /// - Throws: `nothingRetained`, or `recordsUnavailable` if the store cannot be read.
    package func beginExport(
        of reference: RetainedReference, named name: String, in archive: RecordArchive,
        for caller: KnownCaller
    ) async throws(PresentationServiceError) -> (id: String, export: RetainedExport) {
        let access = retentionAccess(of: caller)
        // Data that is retained while the archive reads may be missing from the export, so the presentations
        // are listed before. One whose receipts are being written is not listed: its deadline stays until
        // the daemon forgets the presentation.
        let presentations = book.retaining(under: name, by: caller.name, where: access.covers)
        return try await archive.beginExport(of: reference, for: access, of: presentations, at: now)
    }

    /// Deletes the data of an export that the caller has received.
    ///
    /// - Returns: the number of deleted records.
    /// - Throws: `exportUnknown`, or `recordsUnavailable` if the store cannot be written.
    package func finishExport(
        _ id: String, in archive: RecordArchive, for caller: KnownCaller
    ) async throws(PresentationServiceError) -> Int {
        let export = try await archive.finishExport(id, for: retentionAccess(of: caller))
        book.deletedRetained(of: export.presentations)
        return export.records.count
    }
}
