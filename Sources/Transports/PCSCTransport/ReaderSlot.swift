internal import Synchronization
internal import Transport

/// One reader as this process uses it: the lane its calls run on, and the calls it had to give up.
///
/// Nothing ends an `SCardTransmit` but the reader: `SCardCancel` does not. When the task that waits for one is
/// cancelled, the call is left to its thread, which lets go of card and context once it comes back, and the next
/// call gets a new lane.
///
/// A reader has at most one such call, and with it one thread and one client of pcscd that do nothing.
final class ReaderSlot: Sendable {
    let name: String

    private struct State {
        var lane: ReaderLane?
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
    /// - Parameter lane: the lane a connection was made on.
    func run<Value: Sendable>(
        on lane: ReaderLane,
        _ body: @escaping @Sendable (isolated ReaderLane) throws(PCSCTransportError) -> Value
    ) async throws(PCSCTransportError) -> Value {
        let call = LaneCall<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.begin(continuation) else { return }
                lane.thread.perform { self.carryOut(call, on: lane, body) }
            }
        } onCancel: {
            if call.abandon() { abandon(lane) }
        }
        return try result.get()
    }

    /// Runs `body` on the lane of the moment.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (isolated ReaderLane) throws(PCSCTransportError) -> Value
    ) async throws(PCSCTransportError) -> Value {
        try await run(on: try await currentLane(), body)
    }

    /// The lane that calls run on now, made when there is none.
    ///
    /// - Throws: `readerBlocked` when an abandoned call does not come back in time, `cancelled`.
    func currentLane() async throws(PCSCTransportError) -> ReaderLane {
        let deadline = ContinuousClock.now + Self.abandonedCallReturn
        while state.withLock({ $0.abandoned > 0 }) {
            guard ContinuousClock.now < deadline else { throw .readerBlocked }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
        }
        return state.withLock { state in
            let lane = state.lane ?? ReaderLane()
            state.lane = lane
            return lane
        }
    }

    /// Whether a call on this lane was given up: it lets go of its card by itself once the call comes back.
    func hasAbandoned(_ lane: ReaderLane) -> Bool {
        state.withLock { $0.lane !== lane }
    }

    private func carryOut<Value: Sendable>(
        _ call: LaneCall<Value>, on lane: ReaderLane,
        _ body: @Sendable (isolated ReaderLane) throws(PCSCTransportError) -> Value
    ) {
        lane.assumeIsolated { lane in
            guard call.enter() else { return }
            let result = Result { () throws(PCSCTransportError) in try body(lane) }
            if call.finish(with: result) { return }
            lane.close()
            state.withLock { $0.abandoned -= 1 }
        }
    }

    private func abandon(_ lane: ReaderLane) {
        state.withLock { state in
            state.abandoned += 1
            if state.lane === lane { state.lane = nil }
        }
    }
}

/// One call on a lane: whoever waits gets its result or leaves before; the two may race.
private final class LaneCall<Value: Sendable>: Sendable {
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

    /// On the lane's thread, before the call: false when nobody waits any more.
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
