internal import Glibc
internal import Synchronization
internal import SystemPackage

/// The one thread of the process that waits for sockets, so that no task blocks a thread of the cooperative pool.
///
/// Sources of libdispatch are not used for descriptors: when the other side hangs up, its thread may read what another
/// has freed (swift-corelibs-libdispatch#949, #833).
package final class SocketPoller: Sendable {
    /// Made at first use; fails only when the process has no descriptor left.
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

    package enum Interest: Sendable { case readable, writable }

    package enum Outcome: Sendable {
        case ready, deadlinePassed, cancelled, closed

        /// Returns when the socket is ready and throws otherwise, with the wait's name.
        func orThrow(_ wait: ChannelDeadline) throws(TransportError) {
            switch self {
            case .ready: return
            case .deadlinePassed: throw .deadlinePassed(wait)
            case .cancelled: throw .cancelled
            case .closed: throw .closed(by: .own)
            }
        }
    }

    /// A wait that calls back.
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
        thread.perform { [unowned self] in while true { pollOnce() } }
    }

    /// Suspends until the socket is ready, the deadline passes, the task is cancelled or `end(waitsOn:)` is called.
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
                if Task.isCancelled { end(identifier, with: .cancelled) } else { wakeUp() }
            }
        } onCancel: {
            end(identifier, with: .cancelled)
            wakeUp()
        }
    }

    /// Calls `body` on the poller's thread when the descriptor is ready: once, and not at all when the watch is forgotten
    /// before.
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

    /// From here on the descriptor may be closed.
    package func forget(_ watch: Watch) {
        guard state.withLock({ $0.waits.removeValue(forKey: watch.identifier) }) != nil else { return }
        wakeUp()
    }

    /// Ends every wait on a descriptor that is about to be closed, and the poll that holds its socket open.
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
        DescriptorPoll().look(at: &entries, for: Self.milliseconds(until: nearest))
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
