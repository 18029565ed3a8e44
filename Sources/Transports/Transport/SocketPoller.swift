internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The one thread of the process that waits for sockets, so that no task blocks a thread of the cooperative pool.
final class SocketPoller: Sendable {
    /// Made at first use; fails only when the process has no descriptor left.
    static let shared: Result<SocketPoller, TransportError> = {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return .failure(.system(Errno(rawValue: errno))) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        return .success(SocketPoller(wakeReader: ends[0], wakeWriter: ends[1]))
    }()

    enum Interest: Sendable { case readable, writable }

    enum Outcome: Sendable { case ready, deadlinePassed, cancelled, closed }

    private struct Wait {
        let descriptor: Int32
        let interest: Interest
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastIdentifier: UInt64 = 0
    }

    private let state = Mutex(State())
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let thread = WorkerThread()

    private init(wakeReader: Int32, wakeWriter: Int32) {
        self.wakeReader = wakeReader
        self.wakeWriter = wakeWriter
        thread.perform { [unowned self] in while true { pollOnce() } }
    }

    /// Suspends until the socket is ready, the deadline passes, the task is cancelled or `end(waitsOn:)` is called.
    func wait(
        for interest: Interest, on descriptor: Int32, until deadline: ContinuousClock.Instant?
    ) async -> Outcome {
        let identifier = state.withLock { state in
            state.lastIdentifier += 1
            return state.lastIdentifier
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.waits[identifier] = Wait(
                        descriptor: descriptor, interest: interest, deadline: deadline,
                        continuation: continuation)
                }
                if Task.isCancelled { end(identifier, with: .cancelled) } else { wakeUp() }
            }
        } onCancel: {
            end(identifier, with: .cancelled)
        }
    }

    /// Ends every wait on a descriptor that is about to be closed, and the poll that holds its socket open.
    func end(waitsOn descriptor: Int32) {
        let ended = state.withLock { state in
            let found = state.waits.filter { $0.value.descriptor == descriptor }
            for identifier in found.keys { state.waits[identifier] = nil }
            return found.values.map(\.continuation)
        }
        for continuation in ended { continuation.resume(returning: .closed) }
        wakeUp()
    }

    private func end(_ identifier: UInt64, with outcome: Outcome) {
        let wait = state.withLock { $0.waits.removeValue(forKey: identifier) }
        wait?.continuation.resume(returning: outcome)
    }

    private func wakeUp() {
        var one: UInt8 = 1
        // Fails only when the pipe is full, and then the thread is about to wake anyway.
        _ = unsafe write(wakeWriter, &one, 1)
    }

    private func pollOnce() {
        let waits = state.withLock { $0.waits.map { ($0.key, $0.value) } }
        var entries = waits.map { _, wait in
            pollfd(
                fd: wait.descriptor, events: Int16(wait.interest == .readable ? POLLIN : POLLOUT), revents: 0)
        }
        entries.append(pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0))
        let nearest = waits.compactMap(\.1.deadline).min()
        _ = unsafe poll(&entries, nfds_t(entries.count), Self.milliseconds(until: nearest))
        if let last = entries.last, last.revents != 0 {
            var sink = [UInt8](repeating: 0, count: 64)
            _ = unsafe read(wakeReader, &sink, sink.count)
        }
        let now = ContinuousClock.now
        for ((identifier, wait), entry) in zip(waits, entries) {
            if entry.revents != 0 {
                end(identifier, with: .ready)
            } else if let deadline = wait.deadline, deadline <= now {
                end(identifier, with: .deadlinePassed)
            }
        }
    }

    /// Rounded up, so that the thread does not spin through the last fraction of a millisecond.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
