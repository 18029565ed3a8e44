internal import CCurl
internal import Glibc
internal import Synchronization
internal import Transport

/// The thread that makes all transfers of one client at the same time, with libcurl's multi interface.
///
/// The thread begins with the first transfer. The thread runs while there are transfers, and after the last
/// transfer for as long as connections are kept. Then the thread closes the connections and frees all that
/// libcurl holds for the client; a later transfer begins another thread.
///
/// A transfer is used first by the task that starts it, and then by this thread alone until the transfer
/// ends. The state that tasks and the thread share is behind a lock. A task that adds or cancels a transfer,
/// or closes the client, wakes the thread with `curl_multi_wakeup`.
///
/// `close()` cancels the transfers in progress, refuses later transfers, and waits for the thread to end. The
/// loop never drops a transfer, so that each transfer ends with a result.
final class TransferLoop: Sendable {
    /// libcurl's multi handle, which other threads may only wake.
    @safe private struct Wakeable: @unchecked Sendable {  // curl_multi_wakeup is for other threads
        let handle: LibCurl.Handle
    }

    private struct State {
        var waiting: [Transfer] = []
        var isRunning = false
        var isClosed = false
        /// The handle with which other threads wake the thread; `nil` while no thread can be asleep.
        var sleeper: Wakeable?
        /// The calls of `close()` that wait for the end of the thread.
        var closing: [CheckedContinuation<Void, Never>] = []

        mutating func takeWaiting() -> [Transfer] {
            defer { waiting = [] }
            return waiting
        }
    }

    private let trust: ClientTrust
    private let reuse: ConnectionReuse
    private let connectionsPerHost: Int
    private let state = Mutex(State())

    /// Creates a loop without a thread. The first transfer starts the thread.
    ///
    /// - Parameter connectionsPerHost: the maximum number of connections to one host. Other transfers wait
    ///   for a connection, and this wait counts towards their time limits.
    init(_ trust: ClientTrust, reuse: ConnectionReuse, connectionsPerHost: Int) {
        self.trust = trust
        self.reuse = reuse
        self.connectionsPerHost = connectionsPerHost
    }

    /// Starts a transfer, which always ends with a result, even after `close()`.
    func start(_ transfer: Transfer) {
        let isRefused = state.withLock { state in
            guard !state.isClosed else { return true }
            state.waiting.append(transfer)
            if !state.isRunning {
                state.isRunning = true
                // The thread ends when `run` returns.
                WorkerThread().perform { [self] in run() }
            }
            return false
        }
        isRefused ? transfer.end(.failure(.cancelled)) : wake()
    }

    /// Makes the thread check its transfers now.
    func wake() {
        state.withLock { state in
            guard let sleeper = state.sleeper, let curl = LibCurl.installed else { return }
            _ = unsafe curl.multiWakeup(sleeper.handle)
        }
    }

    /// Cancels the transfers in progress, and waits until no connection is left. No transfer can be started
    /// afterwards.
    func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.isRunning { state.closing.append(continuation) }
                return !state.isRunning
            }
            isOver ? continuation.resume() : wake()
        }
    }

    /// Cancels the transfers in progress and refuses later ones, without waiting for the end.
    func stop() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    // MARK: The thread

    /// The body of the thread: makes transfers until no transfer is left, and then resumes the calls of
    /// `close()`.
    private func run() {
        // OpenSSL may write to a connection that has ended. The signal SIGPIPE would then end the process.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        var closing: [CheckedContinuation<Void, Never>]?
        repeat {
            serve()
            closing = state.withLock { state in
                // A transfer may have come while the connections were being closed.
                guard state.waiting.isEmpty else { return nil }
                state.isRunning = false
                defer { state.closing = [] }
                return state.closing
            }
        } while closing == nil
        for continuation in closing ?? [] { continuation.resume() }
    }

    /// Makes transfers until all have ended and no connection is kept any longer.
    private func serve() {
        guard let curl = LibCurl.installed,
            let multi = MultiHandle(curl, connectionsPerHost: connectionsPerHost)
        else {
            for transfer in state.withLock({ $0.takeWaiting() }) { transfer.end(.failure(.libraryMissing)) }
            return
        }
        state.withLock { [wakeable = unsafe Wakeable(handle: multi.pointer)] in $0.sleeper = wakeable }
        var transfers: [Transfer] = []
        var idleSince = ContinuousClock.now
        while true {
            let (added, isClosed) = state.withLock { ($0.takeWaiting(), $0.isClosed) }
            for transfer in added {
                if isClosed { transfer.cancel() }
                if let early = transfer.earlyResult(at: .now) {
                    transfer.end(early)
                    continue
                }
                do throws(ClientError) {
                    try transfer.prepare(curl, trusting: trust, reuse: reuse)
                    multi.add(transfer)
                    transfers.append(transfer)
                } catch {
                    transfer.end(.failure(error))
                }
            }
            if isClosed { transfers.forEach { $0.cancel() } }
            multi.perform()
            if !transfers.isEmpty { idleSince = .now }
            end(&transfers, of: multi)
            if let deadline = transfers.map(\.deadline).min() {
                multi.wait(until: deadline)
                continue
            }
            let end = idleSince + keepTime
            // The thread must not end if a transfer was added since `takeWaiting()`. The wake-up for this
            // transfer makes the `wait` below return immediately.
            let isOver = state.withLock { state in
                guard state.waiting.isEmpty, state.isClosed || end <= .now else { return false }
                state.sleeper = nil
                return true
            }
            if isOver { return }
            multi.wait(until: end)
        }
    }

    /// The time for which idle connections are kept.
    private var keepTime: Duration {
        switch reuse {
        case .never: .zero
        case .within(let idle): idle
        }
    }

    /// Ends the transfers that libcurl has finished, and the transfers that have to end before libcurl
    /// finishes.
    private func end(_ transfers: inout [Transfer], of multi: borrowing MultiHandle) {
        var ended: [(Transfer, Result<ClientResponse, ClientError>)] = []
        while let (handle, code) = unsafe multi.nextFinished() {
            guard let index = transfers.firstIndex(where: { unsafe $0.handle == handle }) else {
                // Not reached, because a transfer is in the list for as long as libcurl has its handle.
                continue
            }
            let transfer = transfers.remove(at: index)
            ended.append((transfer, transfer.result(code)))
        }
        let now = ContinuousClock.now
        transfers.removeAll { transfer in
            guard let result = transfer.earlyResult(at: now) else { return false }
            ended.append((transfer, result))
            return true
        }
        for (transfer, result) in ended {
            // Removed first, because `end` frees the handle.
            multi.remove(transfer)
            transfer.end(result)
        }
    }
}

/// libcurl's handle for transfers that are made at the same time, with their connections.
@safe private struct MultiHandle: ~Copyable {
    /// The longest sleep, whose milliseconds fit into the 32 bits that `curl_multi_poll` accepts.
    private static let longestWait = Duration.seconds(3600)

    private let curl: LibCurl
    let pointer: LibCurl.Handle

    init?(_ curl: LibCurl, connectionsPerHost: Int) {
        guard let pointer = unsafe curl.multiInit() else { return nil }
        self.curl = curl
        unsafe self.pointer = pointer
        // The result is not checked, because a library that knows the options of `EasyHandle` also knows this
        // older option.
        _ = unsafe curl.set(multi: pointer, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    }

    deinit { _ = unsafe curl.multiCleanup(pointer) }

    /// Starts a transfer. A transfer that libcurl refuses ends at its deadline.
    borrowing func add(_ transfer: Transfer) { _ = unsafe curl.multiAdd(pointer, transfer.handle) }

    borrowing func remove(_ transfer: Transfer) { _ = unsafe curl.multiRemove(pointer, transfer.handle) }

    /// Moves the bytes that can be sent and received now. `nextFinished()` returns the transfers that end.
    borrowing func perform() {
        var running: Int32 = 0
        _ = unsafe curl.multiPerform(pointer, &running)
    }

    /// Sleeps until a connection has data, another thread wakes this thread, or the instant has come.
    borrowing func wait(until end: ContinuousClock.Instant) {
        let left = min(max(.zero, end - .now), Self.longestWait)
        let milliseconds = Int32((left / .milliseconds(1)).rounded(.up))
        _ = unsafe curl.multiPoll(pointer, nil, 0, milliseconds, nil)
    }

    /// Returns the handle of a transfer that libcurl has ended, and the transfer's code; `nil` if no
    /// ended transfer is left.
    borrowing func nextFinished() -> (LibCurl.Handle, CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl.multiRead(pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let handle = unsafe message.pointee.easy_handle
            else { continue }
            return unsafe (handle, message.pointee.data.result)
        }
        return nil
    }
}
