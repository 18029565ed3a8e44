internal import CPCSCLite
internal import Dispatch
internal import Synchronization
internal import Transport

/// The thread that waits for changes of readers and cards, with its own context of pcscd.
///
/// The thread repeats two steps until `stop`:
///
/// 1. It connects to pcscd. While that fails, it waits 100 ms, then twice as long each time, up to 5 s
///    (Q134).
/// 2. It lists the readers and waits in `SCardGetStatusChange` for the next change. A `ReaderWatch` turns the
///    lists and states into events. An error of pcscd leads back to step 1.
///
/// The order of events is: `serviceAvailable`, the readers and cards that are present, then their changes.
/// `serviceLost` means that all readers and cards are lost; it is sent again only if the reason changes.
/// Events are delivered on the monitor's thread. `stop` may be called from any thread, and ends the wait with
/// `SCardCancel`.
///
/// The monitor never connects to a card and never powers a card up or down. `PCSCService.events()` creates a
/// monitor for each stream.
final class ReaderMonitor: Sendable {
    private struct Control {
        /// The context in which the thread waits. `SCardCancel` may be called on it while the lock is held.
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
    ///   - ended: called once on the monitor's thread, after the last event.
    init(emit: @escaping @Sendable (ReaderEvent) -> Void, ended: @escaping @Sendable () -> Void) {
        self.emit = emit
        self.ended = ended
    }

    func start() {
        thread.perform { self.run() }
    }

    /// Ends the wait and the thread. Returns immediately.
    func stop() {
        control.withLock { $0.isStopped = true }
        stopSignal.signal()
        // The cancellation may take several attempts, so `cancelWait` has its own thread.
        WorkerThread().perform { self.cancelWait() }
    }

    /// Ends the wait in pcscd. `SCardCancel` has no effect before the wait has begun, so the call is repeated
    /// until the thread has ended, for at most 10 s.
    private func cancelWait() {
        for _ in 0..<500 {
            let isOver = control.withLock { control in
                if let context = control.waiting { SCardCancel(context) }
                return control.hasEnded
            }
            if isOver { return }
            // Waiting for a semaphore that is never signalled makes a pause of 20 ms.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(20))
        }
    }

    private var isStopped: Bool { control.withLock { $0.isStopped } }

    /// Connects to pcscd and watches the readers until `stop`, on the monitor's thread.
    private func run() {
        var backOff = BackOff.reconnecting
        // The error that was reported last. It is reported again only after another error or a success.
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
                // `stop` ends this pause early.
                _ = stopSignal.wait(timeout: .now() + backOff.next())
            } catch {
                // `stop` was called, and `SCardCancel` has ended the wait.
            }
        }
        control.withLock { $0.hasEnded = true }
        ended()
    }

    /// Emits the changes of readers and cards, until `stop` or an error of pcscd.
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
            // Another program opened or released a reader. This is not an event for the caller. The pause
            // keeps the thread from spinning.
            if changes.isEmpty { _ = stopSignal.wait(timeout: .now() + .milliseconds(10)) }
        }
    }
}

extension DispatchTimeInterval {
    fileprivate var milliseconds: DWORD {
        // `BackOff` returns its waits in milliseconds, so no other case occurs.
        guard case .milliseconds(let count) = self else { return 0 }
        return DWORD(count)
    }
}

/// A change of pcscd, the readers or the cards.
package enum ReaderEvent: Equatable, Sendable {
    /// pcscd runs. Events for its readers follow.
    case serviceAvailable
    /// pcscd does not run or refuses this process. All readers and cards are lost. Sent again if the reason
    /// changes.
    case serviceLost(PCSCTransportError)
    case readerArrived(String)
    case readerRemoved(String)
    /// A card or phone is on the reader. `counter` is the number of insertions and removals that pcscd has
    /// counted, modulo 65,536.
    case cardInserted(reader: String, counter: UInt16)
    /// A card or phone on the reader does not answer to power-up (Q131).
    case cardMute(reader: String, counter: UInt16)
    case cardRemoved(reader: String, counter: UInt16)
}

/// A series of waits. Each wait is twice as long as the wait before, up to a maximum.
struct BackOff {
    private var milliseconds: Int
    private let longest: Int

    /// The waits between attempts to connect to pcscd.
    static let reconnecting = BackOff(milliseconds: 100, longest: 5_000)

    /// The waits before the readers are listed again although pcscd reported no change. During a wait, pcscd
    /// compares its list of readers with its list at the beginning of the wait. It never reports a reader
    /// that came just before the wait began, such as the second interface of a device that was plugged in.
    /// The waits are short after a change and grow to one minute.
    static let relisting = BackOff(milliseconds: 250, longest: 60_000)

    mutating func next() -> DispatchTimeInterval {
        defer { milliseconds = min(milliseconds * 2, longest) }
        return .milliseconds(milliseconds)
    }
}
