internal import Logging
internal import ReaderStore

/// The digits of outputs, and their states after `end` has recorded the outputs with the outcome of their presentation.
extension RecordArchive {
    /// Returns the six digits of a presentation, or `nil` if their key cannot be used, which is logged.
    func outputCode(of id: PresentationID) -> String? {
        do throws(ReaderStoreError) {
            return try outputCodes.code(of: id)
        } catch {
            failed(.output, error, of: id)
            return nil
        }
    }

    /// Records that an output is given. When the function returns true, the record is on the disk, and the
    /// accessory may act.
    ///
    /// - Returns: false if the output is not due.
    /// - Throws: `recordsUnavailable`.
    func giveOutput(_ number: Int64) throws(PresentationServiceError) -> Bool {
        try keepOutput { () throws(ReaderStoreError) in try store.giveOutput(number) }
    }

    /// Records the end of an output.
    ///
    /// - Returns: false if `state` does not follow the output's present state.
    /// - Throws: `recordsUnavailable`.
    func finishOutput(_ number: Int64, as state: OutputState) throws(PresentationServiceError) -> Bool {
        guard
            try keepOutput({ () throws(ReaderStoreError) in try store.finishOutput(number, as: state) })
        else { return false }
        // An output that cannot be read has ended all the same; only the metric does not count it.
        if let output = try? store.output(number) { metrics.countEnd(of: output) }
        return true
    }

    /// Changes the state of an output, and records the success or failure of the write.
    private func keepOutput(
        _ change: () throws(ReaderStoreError) -> Bool
    ) throws(PresentationServiceError) -> Bool {
        do throws(ReaderStoreError) {
            let isChanged = try change()
            succeeded(.output)
            return isChanged
        } catch {
            failed(.output, error)
            throw .recordsUnavailable(error)
        }
    }

    /// Logs an output of an earlier run of which nobody knows whether its accessory acted.
    nonisolated func report(_ output: StoredOutput) {
        guard output.state == .unknown else { return }
        log.warning(
            "the daemon ended before an accessory reported the end of an output: ask who stood there",
            metadata: ["accessory": "\(output.accessory)", "presentation": "\(output.presentation)"])
    }
}
