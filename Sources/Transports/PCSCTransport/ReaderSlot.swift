internal import Synchronization
internal import Transport

/// The use of one reader by this process: the thread on which its calls run, and the calls that were
/// abandoned.
///
/// Only the reader can end an `SCardTransmit`; `SCardCancel` cannot. When the task that waits for such a call
/// is cancelled, the task returns immediately, and the call continues on its thread. The thread releases card
/// and context as soon as the call returns. The next call gets a new thread.
///
/// The next call first waits up to 5 s until the abandoned call returns, since pcscd reserves the reader
/// until then. If the abandoned call does not return in this time, the next call throws `readerBlocked`. A
/// reader therefore has at most one abandoned call, with one idle thread and one idle client of pcscd.
final class ReaderSlot: Sendable {
    let name: String

    private struct State {
        var thread: ReaderThread?
        /// The number of abandoned calls that have not returned.
        var abandoned = 0
    }

    private let state = Mutex(State())
    /// The maximum time for which a new call waits until abandoned calls have returned. Until then, pcscd
    /// reserves the reader for the abandoned calls.
    private static let abandonedCallReturn = Duration.seconds(5)

    init(name: String) {
        self.name = name
    }

    /// Runs `body` on the reader's thread and returns its value. Throws `cancelled` as soon as the task is
    /// cancelled.
    ///
    /// - Parameter thread: the thread that made the connection to the card, if `body` uses one.
    func run<Value: Sendable>(
        on thread: ReaderThread,
        _ body: @escaping @Sendable (isolated ReaderThread) throws(PCSCTransportError) -> Value
    ) async throws(PCSCTransportError) -> Value {
        let call = ThreadCall<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.begin(continuation) else { return }
                thread.worker.perform { self.carryOut(call, on: thread, body) }
            }
        } onCancel: {
            if call.abandon() { abandon(thread) }
        }
        return try result.get()
    }

    /// Runs `body` on the current thread of the reader.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ReaderThread) throws(PCSCTransportError) -> Value
    ) async throws(PCSCTransportError) -> Value {
        try await run(on: try await currentThread(), body)
    }

    /// Returns the thread for new calls, and creates it if necessary.
    ///
    /// - Throws: `readerBlocked` if an abandoned call does not return in time, `cancelled`.
    func currentThread() async throws(PCSCTransportError) -> ReaderThread {
        let deadline = ContinuousClock.now + Self.abandonedCallReturn
        while state.withLock({ $0.abandoned > 0 }) {
            guard ContinuousClock.now < deadline else { throw .readerBlocked }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
        return state.withLock { state in
            let thread = state.thread ?? ReaderThread()
            state.thread = thread
            return thread
        }
    }

    /// Whether a call on a thread was abandoned. Such a thread releases its card itself when the call
    /// returns.
    func hasAbandoned(_ thread: ReaderThread) -> Bool {
        // `abandon` removes the thread of an abandoned call from the slot.
        state.withLock { $0.thread !== thread }
    }

    /// Makes a call on its thread and delivers the result to the waiting task.
    private func carryOut<Value: Sendable>(
        _ call: ThreadCall<Value>, on thread: ReaderThread,
        _ body: @Sendable (isolated ReaderThread) throws(PCSCTransportError) -> Value
    ) {
        thread.assumeIsolated { thread in
            guard call.enter() else { return }
            let result = Result { () throws(PCSCTransportError) in try body(thread) }
            if call.finish(with: result) { return }
            // The call was abandoned meanwhile. Its thread is not used again, and the next call waits until
            // the reader is free.
            thread.close()
            state.withLock { $0.abandoned -= 1 }
        }
    }

    /// Records that a call on a thread was abandoned, so that the next call gets a new thread.
    private func abandon(_ thread: ReaderThread) {
        state.withLock { state in
            state.abandoned += 1
            if state.thread === thread { state.thread = nil }
        }
    }
}

/// A call on a reader's thread. Either its result or the cancellation of the waiting task comes first; the
/// two may race.
///
/// The states are `new`, `waiting` for the thread, `running` on the thread, and `over`. If the task is
/// cancelled while the call runs, the call is abandoned, which means that it continues and its result is
/// dropped.
private final class ThreadCall<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PCSCTransportError>

    private enum State {
        case new
        case waiting(CheckedContinuation<Outcome, Never>)
        case running(CheckedContinuation<Outcome, Never>)
        case over
    }

    private let state = Mutex(State.new)

    /// Stores the continuation of the waiting task. If the call was cancelled before, resumes the
    /// continuation and returns `false`.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let begins = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !begins { continuation.resume(returning: .failure(.cancelled)) }
        return begins
    }

    /// Marks the call as running. Called on the reader's thread. Returns `false` if the waiting task was
    /// cancelled.
    func enter() -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return false }
            state = .running(continuation)
            return true
        }
    }

    /// Delivers the result. Returns `false` if the waiting task was cancelled.
    func finish(with outcome: Outcome) -> Bool {
        guard let continuation = end().continuation else { return false }
        continuation.resume(returning: outcome)
        return true
    }

    /// Cancels the call. Returns `true` if the call is running and is now abandoned.
    func abandon() -> Bool {
        let (continuation, wasRunning) = end()
        continuation?.resume(returning: .failure(.cancelled))
        return wasRunning
    }

    /// Moves the call to `over`. Returns the continuation that the caller must resume, if there is one, and
    /// whether the call was running.
    private func end() -> (continuation: CheckedContinuation<Outcome, Never>?, wasRunning: Bool) {
        state.withLock { state in
            defer { state = .over }
            return switch state {
            case .new, .over: (nil, false)
            case .waiting(let continuation): (continuation, false)
            case .running(let continuation): (continuation, true)
            }
        }
    }
}
