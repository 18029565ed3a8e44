internal import CPCSCLite
internal import Glibc
internal import Synchronization

/// A connection to pcscd. One thread uses it; only `SCardCancel` may come from another.
struct ContextHandle: ~Copyable, Sendable {
    let raw: SCARDCONTEXT

    private static let open = Atomic<Int>(0)

    /// Whether pcscd has let this process in before and still serves it.
    static var isAnyOpen: Bool { open.load(ordering: .relaxed) > 0 }

    /// How often pcscd is asked before it is believed that it does not run: 150 ms in all.
    private static let attempts = 30
    /// In microseconds.
    private static let nextAttempt: useconds_t = 5_000

    private init(raw: SCARDCONTEXT) {
        self.raw = raw
        Self.open.add(1, ordering: .relaxed)
    }

    deinit {
        let raw = raw
        _ = ContextList.ofProcess.change { SCardReleaseContext(raw) }
        Self.open.subtract(1, ordering: .relaxed)
    }

    /// - Throws: `cancelled` when the process ends; `serviceNotRunning`, `accessDenied`, `tooManyClients` and the like.
    static func establish() throws(PCSCTransportError) -> ContextHandle {
        var raw: SCARDCONTEXT = 0
        var status = LONG(SCARD_S_SUCCESS)
        // One client too many, and a user whom polkit refuses, are refused with SCARD_W_SECURITY_VIOLATION, or, when
        // pcscd hangs up before the library has sent its version, as if pcscd did not run. On a busy machine that
        // comes several times in a row: two of three attempts.
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

    /// Lets an optional handle be used in place.
    borrowing func lend<Value: ~Copyable>(
        to body: (borrowing ContextHandle) throws(PCSCTransportError) -> Value
    ) throws(PCSCTransportError) -> Value {
        try body(self)
    }

    /// The names of all readers; none is not an error.
    borrowing func readerNames() throws(PCSCTransportError) -> [String] {
        // Room for the most pcscd can have, so that no reader comes between asking for the size and the names.
        var names = [CChar](
            repeating: 0, count: Int(PCSCLITE_MAX_READERS_CONTEXTS) * Int(MAX_READERNAME) + 1)
        var length = DWORD(names.count)
        let status = unsafe SCardListReaders(raw, nil, &names, &length)
        if status == SCARD_E_NO_READERS_AVAILABLE { return [] }
        try PCSCTransportError.check(status, .listReaders)
        return names.prefix(Int(length)).split(separator: 0).map { name in
            String(decoding: name.lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// Waits until one of the readers is in another state than the one given, or the list of readers changes.
    ///
    /// - Returns: for each reader the state it is in now, with the event counter in the upper 16 bits; nil when
    ///   the time is over.
    /// - Throws: `cancelled` after `SCardCancel`, and what ends a context.
    borrowing func statusChange(
        from known: [(name: String, state: DWORD)], within milliseconds: DWORD
    ) throws(PCSCTransportError) -> [(name: String, state: DWORD)]? {
        var states = unsafe (known.map(\.name) + [#"\\?PnP?\Notification"#]).map { name in
            unsafe SCARD_READERSTATE(named: name)
        }
        defer { unsafe states.forEach { unsafe free(UnsafeMutablePointer(mutating: $0.szReader)) } }
        for index in known.indices { unsafe states[index].dwCurrentState = known[index].state }
        let status = unsafe SCardGetStatusChange(raw, milliseconds, &states, DWORD(states.count))
        if status == SCARD_E_TIMEOUT { return nil }
        try PCSCTransportError.check(status, .getStatusChange)
        return unsafe zip(known, states).map { unsafe ($0.name, $1.dwEventState) }
    }

    /// Connects to the card in a reader, or with `SCARD_SHARE_DIRECT` to the reader itself.
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
    /// The name is a copy on the heap that the caller frees.
    fileprivate init(named name: String) {
        unsafe self.init()
        unsafe szReader = UnsafePointer(strdup(name))
    }
}
