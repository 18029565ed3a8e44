internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The thread that waits for all sockets of the process with poll(2), so that no task blocks a thread of the
/// cooperative pool.
///
/// There are two kinds of waits:
///
/// - A task calls ``wait(for:on:until:)`` and is suspended. The wait ends exactly once, with an ``Outcome``:
///   the descriptor is ready, the deadline has passed, the task was cancelled, or the socket is about to be
///   closed.
/// - Code on a queue calls ``whenReady(for:on:_:)``, which returns a ``Watch``. The code is called back once
///   on the poller's thread, unless it calls ``forget(_:)`` with the watch first. This wait has no deadline.
///
/// The waits are in a table under a lock. In a loop, the thread copies the table, polls until the nearest
/// deadline, and ends the waits whose descriptor is ready. A pipe wakes the thread when the table changes.
///
/// Before a descriptor is closed, its owner calls ``end(waitsOn:)`` or ``forget(_:)``. Otherwise the next
/// poll could use the number of the closed descriptor for another file.
///
/// The poller is created at first use and lives until the process ends. It never reads or writes the
/// descriptors that it waits for.
///
/// Sources of libdispatch are not used for descriptors, because when the other side hangs up, libdispatch's
/// thread may read memory that another thread has freed (swift-corelibs-libdispatch#949, #833).
package final class SocketPoller: Sendable {
    /// The poller of the process, created at first use. Fails only if the process has no descriptor left.
    package static var shared: SocketPoller {
        get throws(TransportError) {
            try made.withLock { made throws(TransportError) in
                if let made { return made }
                var ends: [Int32] = [-1, -1]
                guard unsafe pipe(&ends) == 0 else { throw .system(Errno(rawValue: errno)) }
                for end in ends {
                    _ = fcntl(end, F_SETFL, O_NONBLOCK)
                    _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                }
                let poller = SocketPoller(wakeReader: ends[0], wakeWriter: ends[1])
                made = poller
                return poller
            }
        }
    }

    private static let made = Mutex<SocketPoller?>(nil)

    /// The direction in which a descriptor must be ready.
    package enum Interest: Sendable { case readable, writable }

    /// The way in which a wait ended.
    package enum Outcome: Sendable {
        case ready, deadlinePassed, cancelled, closed

        /// Returns if the socket is ready, and throws for every other outcome.
        ///
        /// - Parameter wait: the value for the error `deadlinePassed`.
        func orThrow(_ wait: ChannelDeadline) throws(TransportError) {
            switch self {
            case .ready: return
            case .deadlinePassed: throw .deadlinePassed(wait)
            case .cancelled: throw .cancelled
            case .closed: throw .closed(by: .own)
            }
        }
    }

    /// A registered callback of ``SocketPoller/whenReady(for:on:_:)``.
    package struct Watch: Sendable {
        fileprivate let identifier: UInt64
    }

    private struct Wait {
        let descriptor: Int32
        let interest: Interest
        let deadline: ContinuousClock.Instant?
        let end: @Sendable (Outcome) -> Void
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastIdentifier: UInt64 = 0

        mutating func nextIdentifier() -> UInt64 {
            lastIdentifier += 1
            return lastIdentifier
        }
    }

    private let state = Mutex(State())
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let thread = WorkerThread()

    private init(wakeReader: Int32, wakeWriter: Int32) {
        self.wakeReader = wakeReader
        self.wakeWriter = wakeWriter
        // The poller is never released, so the thread needs no strong reference.
        thread.perform { [unowned self] in while true { pollOnce() } }
    }

    /// Suspends until the socket is ready, the deadline passes, the task is cancelled or `end(waitsOn:)` is
    /// called.
    package func wait(
        for interest: Interest, on descriptor: Int32, until deadline: ContinuousClock.Instant?
    ) async -> Outcome {
        let identifier = state.withLock { $0.nextIdentifier() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock {
                    $0.waits[identifier] = Wait(
                        descriptor: descriptor, interest: interest, deadline: deadline,
                        end: { continuation.resume(returning: $0) })
                }
                // If the task was cancelled before its wait was in the table, the handler below had nothing
                // to end.
                if Task.isCancelled { end(identifier, with: .cancelled) } else { wakeUp() }
            }
        } onCancel: {
            end(identifier, with: .cancelled)
            wakeUp()
        }
    }

    /// Calls `body` once on the poller's thread when the descriptor is ready, unless the watch is forgotten
    /// first.
    package func whenReady(
        for interest: Interest, on descriptor: Int32, _ body: @escaping @Sendable () -> Void
    ) -> Watch {
        let identifier = state.withLock { state in
            let identifier = state.nextIdentifier()
            state.waits[identifier] = Wait(
                descriptor: descriptor, interest: interest, deadline: nil,
                end: { if $0 == .ready { body() } })
            return identifier
        }
        wakeUp()
        return Watch(identifier: identifier)
    }

    /// Removes a watch. Afterwards the caller may close the descriptor.
    package func forget(_ watch: Watch) {
        guard state.withLock({ $0.waits.removeValue(forKey: watch.identifier) }) != nil else { return }
        wakeUp()
    }

    /// Ends every wait on a descriptor that is about to be closed. Also wakes the thread, because a poll in
    /// progress would keep the socket open.
    func end(waitsOn descriptor: Int32) {
        let ended = state.withLock { state in
            let found = state.waits.filter { $0.value.descriptor == descriptor }
            for identifier in found.keys { state.waits[identifier] = nil }
            return found.values.map(\.end)
        }
        for end in ended { end(.closed) }
        wakeUp()
    }

    private func end(_ identifier: UInt64, with outcome: Outcome) {
        let wait = state.withLock { $0.waits.removeValue(forKey: identifier) }
        wait?.end(outcome)
    }

    private func wakeUp() {
        var one: UInt8 = 1
        // The write fails if the pipe is full. Then the bytes in the pipe wake the thread.
        _ = unsafe write(wakeWriter, &one, 1)
    }

    /// Polls all descriptors once, and ends the waits that are ready or overdue.
    private func pollOnce() {
        let waits = state.withLock { $0.waits.map { ($0.key, $0.value) } }
        var entries = waits.map { _, wait in
            pollfd(
                fd: wait.descriptor, events: Int16(wait.interest == .readable ? POLLIN : POLLOUT), revents: 0)
        }
        entries.append(pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0))
        let nearest = waits.compactMap(\.1.deadline).min()
        DescriptorPoll().wait(for: &entries, atMost: Self.milliseconds(until: nearest))
        // The last entry is the pipe. Reading empties the pipe for the next wake-up.
        if let last = entries.last, last.revents != 0 {
            var sink = [UInt8](repeating: 0, count: 64)
            _ = unsafe read(wakeReader, &sink, sink.count)
        }
        let now = ContinuousClock.now
        for ((identifier, wait), entry) in zip(waits, entries) {
            // A hang-up or an error counts as ready, because the next call on the descriptor reports it.
            if entry.revents != 0 {
                end(identifier, with: .ready)
            } else if let deadline = wait.deadline, deadline <= now {
                end(identifier, with: .deadlinePassed)
            }
        }
    }

    /// Returns the milliseconds until a deadline, rounded up so that the thread does not spin through the
    /// last fraction; -1 if there is no deadline.
    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        // A poll may end before a deadline in the far future; the thread then polls again.
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
