internal import Transport

/// An exclusive connection to the card or phone on one reader. Its release powers the card off.
package final class PCSCCard: Sendable {
    /// The maximum lengths of commands and answers on this reader.
    package let limits: APDULimits
    private let slot: ReaderSlot
    private let thread: ReaderThread
    /// The number that the reader's thread gave this connection.
    private let connection: Int

    init(slot: ReaderSlot, thread: ReaderThread, connection: Int, limits: APDULimits) {
        self.slot = slot
        self.thread = thread
        self.connection = connection
        self.limits = limits
    }

    deinit {
        thread.worker.perform { [thread, connection] in
            thread.assumeIsolated { $0.disconnect(connection, .unpower) }
        }
    }

    /// Sends one command APDU and returns the card's answer with its status word.
    ///
    /// The call has no time limit, because a phone may answer only when its holder has consented (Q130). If
    /// the task is cancelled, the call returns immediately and the connection ends. The reader's thread stays
    /// busy until the reader answers.
    ///
    /// - Throws: `cardLost`, `linkLost`, `serviceLost`, `commandLength`, `cancelled`; `notConnected` after an
    ///   earlier error.
    package func exchange(_ command: ArraySlice<UInt8>) async throws(PCSCTransportError) -> [UInt8] {
        // The header of a command has four bytes.
        guard 4...limits.maximumCommand ~= command.count else {
            throw .commandLength(command.count, limit: limits.maximumCommand)
        }
        return try await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            try thread.exchange(command, over: connection)
        }
    }

    /// Resets the card. No application is selected afterwards.
    package func reset() async throws(PCSCTransportError) {
        try await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            try thread.reset(connection)
        }
    }

    /// Ends the connection. Later calls throw `notConnected`.
    ///
    /// Does not wait for an exchange that was cancelled. Returns early if the task is cancelled.
    package func disconnect(_ disposition: CardDisposition = .unpower) async {
        // A thread with an abandoned call releases the card itself when the call returns.
        if slot.hasAbandoned(thread) { return }
        // `run` throws only if the task is cancelled. The connection then ends when this object is released.
        _ = try? await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            thread.disconnect(connection, disposition)
        }
    }
}
