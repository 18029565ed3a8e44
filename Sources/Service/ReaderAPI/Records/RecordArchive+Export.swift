internal import MdocModel
internal import ReaderStore

extension RecordArchive {
    /// Starts the export of what is retained for a reference. `finish` removes the data. Until then, nobody else
    /// can export it.
    func beginExport(
        of reference: RetainedReference, orderedBy owner: String, at now: Timestamp
    ) throws(APIProblem) -> RetainedExport {
        let instant = ContinuousClock.now
        exports = exports.filter { instant < $0.value + Self.handingOut }
        guard exports[reference] == nil else { throw .exportUnderWay }
        let export: RetainedExport
        do throws(ReaderStoreError) {
            export = try retained.beginExport(of: reference, orderedBy: owner, at: now)
        } catch {
            throw .recordsUnavailable(error)
        }
        guard !export.records.isEmpty else { throw .nothingRetained }
        exports[reference] = instant
        return export
    }

    /// Removes what was exported. Throws if it could not be removed; it is then still marked as exported.
    func finish(_ export: RetainedExport, of reference: RetainedReference) throws(ReaderStoreError) {
        defer { exports[reference] = nil }
        do throws(ReaderStoreError) {
            try retained.finish(export)
            succeeded(.exported)
        } catch {
            failed(.exported, error)
            throw error
        }
    }

    /// What was begun did not reach its caller; the next export says so.
    func giveUp(_ reference: RetainedReference) {
        exports[reference] = nil
    }
}
