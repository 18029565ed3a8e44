internal import CPCSCLite
internal import Glibc
internal import Transport

/// The thread on which all PC/SC calls for one reader run in order, with one context of pcscd and at most one
/// card.
///
/// PC/SC calls block, because a phone may answer only when its holder has consented (Q130), and a reader that
/// hangs never returns. Each reader therefore has its own thread, so that a blocked call delays no other
/// reader and no thread of the cooperative pool. The actor's executor is a `WorkerThread`.
///
/// - A `ReaderSlot` creates the thread, hands calls to it, and replaces it after an abandoned call.
/// - Each connection to a card has a number. A call for an earlier connection throws `notConnected` and does
///   not touch the current card.
/// - The context is created when a call needs it. If an old context fails because pcscd was restarted, the
///   call is repeated once with a new context (Q134).
/// - After a failed exchange the card is released.
///
/// The thread has no timer and cannot cancel a call. `ReaderSlot` decides how long a caller waits.
actor ReaderThread {
    nonisolated let worker = WorkerThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

    private var context: ContextHandle?
    private var card: CardHandle?
    /// The number of the last connection.
    private var connection = 0
    /// The buffer into which pcscd writes the answers of the card. One buffer serves all commands.
    private var answer = [UInt8](repeating: 0, count: APDULimits.pcscdBuffer)

    /// The number of attempts to connect while another program holds the reader.
    private static let connectAttempts = 5
    /// The pause between two attempts, in microseconds.
    private static let connectPause: UInt32 = 100_000

    /// Releases card and context on the reader's thread, because both releases call pcscd.
    isolated deinit {}

    func readerNames() throws(PCSCTransportError) -> [String] {
        try withContext { context throws(PCSCTransportError) in try context.readerNames() }
    }

    /// Connects to the card on the reader and keeps other programs from using it. Returns the connection's
    /// number.
    func connect(to reader: String) throws(PCSCTransportError) -> Int {
        guard card == nil else { throw .readerInUse }
        var attempt = 1
        while true {
            do throws(PCSCTransportError) {
                card = try withContext { context throws(PCSCTransportError) in
                    try context.connect(
                        to: reader, share: SCARD_SHARE_EXCLUSIVE,
                        protocols: SCARD_PROTOCOL_T1 | SCARD_PROTOCOL_T0)
                }
                connection += 1
                return connection
            } catch  where attempt < Self.connectAttempts && error == .readerInUse {
                attempt += 1
                usleep(Self.connectPause)
            }
        }
    }

    /// Sends a command to the card of a connection and returns the answer.
    ///
    /// - Parameter number: the connection's number, from `connect(to:)`.
    func exchange(
        _ command: ArraySlice<UInt8>, over number: Int
    ) throws(PCSCTransportError) -> [UInt8] {
        guard card != nil, number == connection else { throw .notConnected }
        do throws(PCSCTransportError) {
            // A `CardHandle` cannot be copied, so it is used inside its optional. The card is not `nil` here.
            let length = try card?.transmit(command, into: &answer) ?? 0
            return Array(answer[..<length])
        } catch {
            forget(after: error)
            throw error
        }
    }

    /// Resets the card without powering it off.
    func reset(_ number: Int) throws(PCSCTransportError) {
        guard card != nil, number == connection else { throw .notConnected }
        do throws(PCSCTransportError) {
            try card?.reset(SCARD_RESET_CARD)
        } catch {
            forget(after: error)
            throw error
        }
    }

    /// Ends a connection to the card. Does nothing if the connection is not the last one.
    func disconnect(_ number: Int, _ disposition: CardDisposition) {
        guard number == connection else { return }
        card.take()?.disconnect(disposition.code)
    }

    /// Reads the reader's properties from its driver, with or without a card on the reader.
    func properties(of reader: String) throws(PCSCTransportError) -> ReaderProperties {
        // While a card is connected, pcscd refuses a second connection, because the first connection
        // is exclusive.
        if let properties = card?.readerProperties() { return properties }
        return try withContext { context throws(PCSCTransportError) in
            let handle = try context.connect(to: reader, share: SCARD_SHARE_DIRECT, protocols: 0)
            let properties = handle.readerProperties()
            // This was a connection to the reader itself, so a card on the reader is left as it is.
            handle.disconnect(SCARD_LEAVE_CARD)
            return properties
        }
    }

    /// Sends commands to the reader itself. Returns the answers up to the first command that the driver
    /// refuses.
    ///
    /// - Throws: `readerInUse` if a card is on the reader.
    func command(_ commands: [[UInt8]], to reader: String) throws(PCSCTransportError) -> [[UInt8]] {
        guard card == nil else { throw .readerInUse }
        return try withContext { context throws(PCSCTransportError) in
            // With SCARD_STATE_UNAWARE, pcscd reports the current state immediately.
            let states = try context.statusChange(from: [(reader, DWORD(SCARD_STATE_UNAWARE))], within: 0)
            let isOccupied = states?.contains { $0.state & DWORD(SCARD_STATE_PRESENT) != 0 } ?? false
            // Some readers refuse commands to themselves while a phone is in the field (Q129).
            if isOccupied { throw .readerInUse }
            let handle = try context.connect(to: reader, share: SCARD_SHARE_DIRECT, protocols: 0)
            let answers = handle.escape(commands)
            handle.disconnect(SCARD_LEAVE_CARD)
            return answers
        }
    }

    /// Releases card and context.
    func close() {
        card = nil
        context = nil
    }

    /// Releases the card after a failed exchange. If pcscd was lost, the context is invalid too and is
    /// released.
    private func forget(after error: PCSCTransportError) {
        card = nil
        if error == .serviceLost { context = nil }
    }

    /// Runs `body` with a context. A context from before a restart of pcscd looks valid but is invalid
    /// (Q134). If `body` fails with such a context, `body` runs once more with a new context.
    private func withContext<Value: ~Copyable>(
        _ body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value {
        do throws(PCSCTransportError) {
            if let value = try lendContext(to: body) { return value }
        } catch  where context == nil {
            // The context was invalid, and `lendContext` has released it.
        }
        context = try ContextHandle.establish()
        // `lendContext` returns `nil` only if there is no context, but `withContext` has just created one.
        guard let value = try lendContext(to: body) else { throw .serviceLost }
        return value
    }

    /// Runs `body` with the existing context; returns `nil` if no context exists. Releases the context if the
    /// error shows that it may be invalid.
    private func lendContext<Value: ~Copyable>(
        to body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value? {
        do throws(PCSCTransportError) {
            return try context?.lend(to: body)
        } catch  where error == .serviceLost || error == .accessDenied(.card) {
            // If pcscd ends during a connect, the connect may return the code of a missing polkit permission
            // (seen with 1.9.9).
            close()
            throw error
        }
    }
}
