internal import CPCSCLite
internal import Glibc
internal import Synchronization

/// A connection to pcscd, called a context in PC/SC. One thread uses it; only `SCardCancel` may be called
/// from another thread.
struct ContextHandle: ~Copyable, Sendable {
    let raw: SCARDCONTEXT

    /// The number of contexts that this process has.
    private static let open = Atomic<Int>(0)

    /// Whether pcscd has accepted this process as a client and still serves this process.
    static var isAnyOpen: Bool { open.load(ordering: .relaxed) > 0 }

    /// The number of attempts to connect before pcscd is reported as not running. Together they take 150 ms.
    private static let attempts = 30
    /// The pause between two attempts, in microseconds.
    private static let nextAttempt: useconds_t = 5_000

    private init(raw: SCARDCONTEXT) {
        self.raw = raw
        Self.open.add(1, ordering: .relaxed)
    }

    deinit {
        let raw = raw
        // When the process ends, `change` makes no call, because pcscd then releases the context itself.
        _ = ContextList.ofProcess.change { SCardReleaseContext(raw) }
        Self.open.subtract(1, ordering: .relaxed)
    }

    /// Connects to pcscd.
    ///
    /// - Throws: `cancelled` when the process ends; otherwise `serviceNotRunning`, `serviceIncompatible`,
    ///   `accessDenied`, `tooManyClients` or `unexpected`.
    static func establish() throws(PCSCTransportError) -> ContextHandle {
        var raw: SCARDCONTEXT = 0
        var status = LONG(SCARD_S_SUCCESS)
        // pcscd refuses a client above its limit, or a user without polkit permission, with
        // SCARD_W_SECURITY_VIOLATION. But if pcscd hangs up before the library has sent its version, the
        // library reports that no service runs (Q133). On a busy machine that was seen in two of three
        // attempts, several times in a row. Therefore SCARD_E_NO_SERVICE, and no other status, leads to
        // another attempt.
        for _ in 0..<Self.attempts {
            let answer = ContextList.ofProcess.change {
                unsafe SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &raw)
            }
            guard let answer else { throw .cancelled }
            status = answer
            if status != SCARD_E_NO_SERVICE { break }
            usleep(Self.nextAttempt)
        }
        try PCSCTransportError.check(status, .establishContext)
        return ContextHandle(raw: raw)
    }

    /// Calls `body` with this handle, so that an optional handle can be used without being moved.
    borrowing func lend<Value: ~Copyable>(
        to body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value {
        try body(self)
    }

    /// Returns the names of all readers. An empty list is not an error.
    borrowing func readerNames() throws(PCSCTransportError) -> [String] {
        // The buffer holds the maximum number of names. If the size were requested first, a reader plugged in
        // meanwhile would not fit.
        var names = [CChar](
            repeating: 0, count: Int(PCSCLITE_MAX_READERS_CONTEXTS) * Int(MAX_READERNAME) + 1)
        var length = DWORD(names.count)
        let status = unsafe SCardListReaders(raw, nil, &names, &length)
        if status == SCARD_E_NO_READERS_AVAILABLE { return [] }
        try PCSCTransportError.check(status, .listReaders)
        // A zero byte ends each name.
        return names.prefix(Int(length)).split(separator: 0).map { name in
            String(decoding: name.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Waits until the state of a reader differs from its state in `known`, or the list of readers changes.
    ///
    /// - Returns: the current state of each reader, with the event counter in the upper 16 bits; `nil` if the
    ///   time has passed.
    /// - Throws: `cancelled` after `SCardCancel`, `serviceLost` if pcscd has ended.
    borrowing func statusChange(
        from known: [(name: String, state: DWORD)], within milliseconds: DWORD
    ) throws(PCSCTransportError) -> [(name: String, state: DWORD)]? {
        // The last name is a pseudo reader of PC/SC. Its state changes when the list of readers changes.
        var states = unsafe (known.map(\.name) + [#"\\?PnP?\Notification"#]).map { name in
            unsafe SCARD_READERSTATE(named: name)
        }
        defer { unsafe states.forEach { unsafe free(UnsafeMutablePointer(mutating: $0.szReader)) } }
        for index in known.indices { unsafe states[index].dwCurrentState = known[index].state }
        let status = unsafe SCardGetStatusChange(raw, milliseconds, &states, DWORD(states.count))
        if status == SCARD_E_TIMEOUT { return nil }
        try PCSCTransportError.check(status, .getStatusChange)
        // `zip` leaves out the pseudo reader, which `known` does not have.
        return unsafe zip(known, states).map { unsafe ($0.name, $1.dwEventState) }
    }

    /// Connects to the card on a reader. With `SCARD_SHARE_DIRECT`, connects to the reader itself, with or
    /// without a card.
    borrowing func connect(
        to reader: String, share: Int32, protocols: Int32
    ) throws(PCSCTransportError) -> CardHandle {
        var card: SCARDHANDLE = 0
        var active: DWORD = 0
        let status = unsafe SCardConnect(raw, reader, DWORD(share), DWORD(protocols), &card, &active)
        try PCSCTransportError.check(status, .connect, reader: reader)
        return CardHandle(raw: card, activeProtocol: active)
    }
}

extension SCARD_READERSTATE {
    /// Creates a state with a copy of the name on the heap. The caller frees the copy.
    fileprivate init(named name: String) {
        unsafe self.init()
        unsafe szReader = UnsafePointer(strdup(name))
    }
}
