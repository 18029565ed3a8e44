internal import Transport

/// An exclusive connection to the card, or phone, on one reader. When it is released, the card is powered off.
package final class PCSCCard: Sendable {
    /// How long commands and answers may be on this reader.
    package let limits: APDULimits
    private let slot: ReaderSlot
    private let thread: ReaderThread
    /// The number of the connection on its thread.
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
    /// There is no timer here: a phone may take as long as its holder needs to consent (Q130). Cancelling the task
    /// ends the wait at once and with it this connection; the call itself ends when the reader lets it.
    /// - Throws: `cardLost`, `linkLost`, `serviceLost`, `commandLength`, `cancelled`, `notConnected` after any error
    ///   before.
    package func exchange(_ command: ArraySlice<UInt8>) async throws(PCSCTransportError) -> [UInt8] {
        guard 4...limits.maximumCommand ~= command.count else {
            throw .commandLength(command.count, limit: limits.maximumCommand)
        }
        return try await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            try thread.exchange(command, over: connection)
        }
    }

    /// Resets the card; whatever was selected on it is not any more.
    package func reset() async throws(PCSCTransportError) {
        try await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            try thread.reset(connection)
        }
    }

    /// Ends the connection; further calls throw `notConnected`. Does not wait for an exchange that was cancelled, and
    /// stops waiting for the reader when the task is cancelled.
    package func disconnect(_ disposition: CardDisposition = .unpower) async {
        if slot.hasAbandoned(thread) { return }
        _ = try? await slot.run(on: thread) { [connection] thread throws(PCSCTransportError) in
            thread.disconnect(connection, disposition)
        }
    }
}
