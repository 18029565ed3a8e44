internal import CPCSCLite
internal import Dispatch
internal import Synchronization
internal import Transport

/// Waits for readers and cards on one thread with one context, and finds pcscd again when it was away (Q134).
final class ReaderMonitor: Sendable {
    private struct Control {
        /// The context that waits; `SCardCancel` may be called on it while the lock is held.
        var waiting: SCARDCONTEXT?
        var isStopped = false
        var hasEnded = false
    }

    private let control = Mutex(Control())
    private let stopSignal = DispatchSemaphore(value: 0)
    private let thread = WorkerThread()
    private let emit: @Sendable (ReaderEvent) -> Void
    private let ended: @Sendable () -> Void

    /// - Parameters:
    ///   - emit: called on the monitor's thread for each event.
    ///   - ended: called there once after the last.
    init(emit: @escaping @Sendable (ReaderEvent) -> Void, ended: @escaping @Sendable () -> Void) {
        self.emit = emit
        self.ended = ended
    }

    func start() {
        thread.perform { self.run() }
    }

    /// Ends the wait and the thread. Does not wait for either.
    func stop() {
        control.withLock { $0.isStopped = true }
        stopSignal.signal()
        WorkerThread().perform { self.cancelWait() }
    }

    /// `SCardCancel` does nothing when it comes before the wait has begun, so it is repeated until the thread is out.
    private func cancelWait() {
        for _ in 0..<500 {
            let isOver = control.withLock { control in
                if let context = control.waiting { SCardCancel(context) }
                return control.hasEnded
            }
            if isOver { return }
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        }
    }

    private var isStopped: Bool { control.withLock { $0.isStopped } }

    private func run() {
        var backOff = BackOff.reconnecting
        var reported: PCSCTransportError?
        while !isStopped {
            do throws(PCSCTransportError) {
                let context = try ContextHandle.establish()
                reported = nil
                backOff = .reconnecting
                emit(.serviceAvailable)
                try watch(in: context)
            } catch  where !isStopped {
                if reported != error { emit(.serviceLost(error)) }
                reported = error
                _ = stopSignal.wait(timeout: .now() + backOff.next())
            } catch {}
        }
        control.withLock { $0.hasEnded = true }
        ended()
    }

    private func watch(in context: borrowing ContextHandle) throws(PCSCTransportError) {
        control.withLock { $0.waiting = context.raw }
        defer { control.withLock { $0.waiting = nil } }
        var watch = ReaderWatch()
        var relist = BackOff.relisting
        while !isStopped {
            let listed = watch.list(try context.readerNames())
            listed.forEach(emit)
            if !listed.isEmpty { relist = .relisting }
            let states = try context.statusChange(from: watch.known, within: relist.next().milliseconds)
            guard let states else { continue }
            let changes = states.flatMap { watch.observe($0.name, state: $0.state) }
            changes.forEach(emit)
            // Somebody opened or released a reader: nothing to report, and no reason to look again at once.
            if changes.isEmpty { _ = stopSignal.wait(timeout: .now() + .milliseconds(10)) }
        }
    }
}

extension DispatchTimeInterval {
    fileprivate var milliseconds: DWORD {
        guard case .milliseconds(let count) = self else { return 0 }
        return DWORD(count)
    }
}

/// A change at the service, the readers or the cards.
package enum ReaderEvent: Equatable, Sendable {
    /// pcscd is there; the readers it has follow.
    case serviceAvailable
    /// pcscd is not running, or refuses us; all readers and cards are lost with it. Sent again when the reason
    /// changes.
    case serviceLost(PCSCTransportError)
    case readerArrived(String)
    case readerRemoved(String)
    /// A card, or phone, is on the reader. `counter` is pcscd's count of comings and goings, modulo 65,536.
    case cardInserted(reader: String, counter: UInt16)
    /// Something is on the reader that does not answer to power-up (Q131).
    case cardMute(reader: String, counter: UInt16)
    case cardRemoved(reader: String, counter: UInt16)
}

/// Waits that double from a first to a longest one.
struct BackOff {
    private var milliseconds: Int
    private let longest: Int

    /// Before pcscd is tried again.
    static let reconnecting = BackOff(milliseconds: 100, longest: 5_000)

    /// Before readers are listed again though pcscd reported no change. pcscd compares the list with the one at the
    /// beginning of the wait: a reader that came just before, like the second interface of a device that was plugged
    /// in, is never reported. Close looks after a change, one a minute otherwise.
    static let relisting = BackOff(milliseconds: 250, longest: 60_000)

    mutating func next() -> DispatchTimeInterval {
        defer { milliseconds = min(milliseconds * 2, longest) }
        return .milliseconds(milliseconds)
    }
}
