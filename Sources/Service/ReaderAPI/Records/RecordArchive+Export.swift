internal import MdocModel
internal import ReaderStore

extension RecordArchive {
    /// Begins to hand out what is retained for a reference. It is gone once `finish` was called, and while this goes on nobody
    /// else gets it.
    func beginExport(of reference: RetainedReference, at now: Timestamp) throws(APIProblem) -> RetainedExport
    {
        let instant = ContinuousClock.now
        exports = exports.filter { instant < $0.value + Self.handingOut }
        guard exports[reference] == nil else { throw .exportUnderWay }
        let export: RetainedExport
        do throws(ReaderStoreError) {
            export = try retained.beginExport(of: reference, at: now)
        } catch {
            throw .recordsUnavailable(error)
        }
        guard !export.records.isEmpty else { throw .nothingRetained }
        exports[reference] = instant
        return export
    }

    /// Lets go of what was handed out. Throws where it is still there, marked as handed out.
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
