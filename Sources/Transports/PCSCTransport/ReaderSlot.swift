internal import Synchronization
internal import Transport

/// One reader as this process uses it: the thread its calls run on, and the calls that were abandoned.
///
/// Only the reader can end an `SCardTransmit`: `SCardCancel` does not. When the task that waits for one is
/// cancelled, the call is left to its thread, which releases card and context once the call returns. The next call
/// gets a new thread.
///
/// A reader has at most one such call, and with it one thread and one client of pcscd that do nothing.
final class ReaderSlot: Sendable {
    let name: String

    private struct State {
        var thread: ReaderThread?
        var abandoned = 0
    }

    private let state = Mutex(State())
    /// How long a new call waits for abandoned ones to come back: pcscd keeps the reader for them until then.
    private static let abandonedCallReturn = Duration.seconds(5)

    init(name: String) {
        self.name = name
    }

    /// Runs `body` on the reader's thread and returns its value, or `cancelled` as soon as the task is cancelled.
    ///
    /// - Parameter thread: the thread a connection was made on.
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

    /// Runs `body` on the thread of the moment.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ReaderThread) throws(PCSCTransportError) -> Value
    ) async throws(PCSCTransportError) -> Value {
        try await run(on: try await currentThread(), body)
    }

    /// The thread that calls run on now, created if absent.
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

    /// Whether a call on this thread was abandoned: the thread releases its card itself once the call returns.
    func hasAbandoned(_ thread: ReaderThread) -> Bool {
        state.withLock { $0.thread !== thread }
    }

    private func carryOut<Value: Sendable>(
        _ call: ThreadCall<Value>, on thread: ReaderThread,
        _ body: @Sendable (isolated ReaderThread) throws(PCSCTransportError) -> Value
    ) {
        thread.assumeIsolated { thread in
            guard call.enter() else { return }
            let result = Result { () throws(PCSCTransportError) in try body(thread) }
            if call.finish(with: result) { return }
            thread.close()
            state.withLock { $0.abandoned -= 1 }
        }
    }

    private func abandon(_ thread: ReaderThread) {
        state.withLock { state in
            state.abandoned += 1
            if state.thread === thread { state.thread = nil }
        }
    }
}

/// One call on a thread: whoever waits gets its result or leaves before; the two may race.
private final class ThreadCall<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, PCSCTransportError>

    private enum State {
        case new
        case waiting(CheckedContinuation<Outcome, Never>)
        case running(CheckedContinuation<Outcome, Never>)
        case over
    }

    private let state = Mutex(State.new)

    /// False when it was cancelled before it began; the continuation is then resumed.
    func begin(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let begins = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !begins { continuation.resume(returning: .failure(.cancelled)) }
        return begins
    }

    /// On the reader's thread, before the call: false when nobody waits any more.
    func enter() -> Bool {
        state.withLock { state in
            guard case .waiting(let continuation) = state else { return false }
            state = .running(continuation)
            return true
        }
    }

    /// False when nobody waited for the result.
    func finish(with outcome: Outcome) -> Bool {
        guard let continuation = end().continuation else { return false }
        continuation.resume(returning: outcome)
        return true
    }

    /// True when the call was running and is now left to itself.
    func abandon() -> Bool {
        let (continuation, wasRunning) = end()
        continuation?.resume(returning: .failure(.cancelled))
        return wasRunning
    }

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
