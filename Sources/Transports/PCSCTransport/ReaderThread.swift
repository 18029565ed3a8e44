internal import CPCSCLite
internal import Glibc
internal import Transport

/// One thread with one context and at most one card: all calls for one reader run here, in order.
actor ReaderThread {
    nonisolated let worker = WorkerThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe worker.asUnownedSerialExecutor() }

    private var context: ContextHandle?
    private var card: CardHandle?
    /// The number of the last connection: what belongs to an earlier one does not touch this one's card.
    private var connection = 0
    private var answer = [UInt8](repeating: 0, count: APDULimits.pcscdBuffer)

    /// How long and how often a connection is tried when the reader is held.
    private static let connectAttempts = 5
    private static let connectPause: UInt32 = 100_000

    /// Releases card and context on its own thread: both are calls to pcscd.
    isolated deinit {}

    func readerNames() throws(PCSCTransportError) -> [String] {
        try withContext { context throws(PCSCTransportError) in try context.readerNames() }
    }

    /// Connects to the card in the reader and keeps everyone else out. Returns the connection's number.
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

    func exchange(
        _ command: ArraySlice<UInt8>, over number: Int
    ) throws(PCSCTransportError) -> [UInt8] {
        guard card != nil, number == connection else { throw .notConnected }
        do throws(PCSCTransportError) {
            let length = try card?.transmit(command, into: &answer) ?? 0
            return Array(answer[..<length])
        } catch {
            forget(after: error)
            throw error
        }
    }

    /// Resets the card, its power staying on.
    func reset(_ number: Int) throws(PCSCTransportError) {
        guard card != nil, number == connection else { throw .notConnected }
        do throws(PCSCTransportError) {
            try card?.reset(SCARD_RESET_CARD)
        } catch {
            forget(after: error)
            throw error
        }
    }

    func disconnect(_ number: Int, _ disposition: CardDisposition) {
        guard number == connection else { return }
        card.take()?.disconnect(disposition.code)
    }

    /// What the driver reports about the reader, with or without a card in it.
    func properties(of reader: String) throws(PCSCTransportError) -> ReaderProperties {
        if let properties = card?.readerProperties() { return properties }
        return try withContext { context throws(PCSCTransportError) in
            let handle = try context.connect(to: reader, share: SCARD_SHARE_DIRECT, protocols: 0)
            let properties = handle.readerProperties()
            handle.disconnect(SCARD_LEAVE_CARD)
            return properties
        }
    }

    /// Has the reader carry out commands itself, in their order, unless a card is there; their answers until one fails.
    func command(_ commands: [[UInt8]], to reader: String) throws(PCSCTransportError) -> [[UInt8]] {
        guard card == nil else { throw .readerInUse }
        return try withContext { context throws(PCSCTransportError) in
            let states = try context.statusChange(from: [(reader, DWORD(SCARD_STATE_UNAWARE))], within: 0)
            let isOccupied = states?.contains { $0.state & DWORD(SCARD_STATE_PRESENT) != 0 } ?? false
            if isOccupied { throw .readerInUse }
            let handle = try context.connect(to: reader, share: SCARD_SHARE_DIRECT, protocols: 0)
            let answers = handle.escape(commands)
            handle.disconnect(SCARD_LEAVE_CARD)
            return answers
        }
    }

    /// Releases card and context, on this thread.
    func close() {
        card = nil
        context = nil
    }

    private func forget(after error: PCSCTransportError) {
        card = nil
        if error == .serviceLost { context = nil }
    }

    /// Runs `body` with a context. One from before a restart of pcscd looks valid and is not (Q134), so when it was
    /// an old one that failed, a new one is tried once.
    private func withContext<Value: ~Copyable>(
        _ body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value {
        do throws(PCSCTransportError) {
            if let value = try lendContext(to: body) { return value }
        } catch  where context == nil {}
        context = try ContextHandle.establish()
        guard let value = try lendContext(to: body) else { throw .serviceLost }
        return value
    }

    /// Nil if there is no context; releases one that may be invalid.
    private func lendContext<Value: ~Copyable>(
        to body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value? {
        do throws(PCSCTransportError) {
            return try context?.lend(to: body)
        } catch  where error == .serviceLost || error == .accessDenied(.card) {
            close()
            throw error
        }
    }
}
