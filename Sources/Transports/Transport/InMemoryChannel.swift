internal import Synchronization

/// An end of a pair of channels inside this process, without frames, deadlines or limits.
package final class InMemoryChannel: MessageChannel {
    private let inbox: Inbox
    private let outbox: Inbox

    private init(inbox: Inbox, outbox: Inbox) {
        self.inbox = inbox
        self.outbox = outbox
    }

    /// Returns two connected ends.
    package static func pair() -> (InMemoryChannel, InMemoryChannel) {
        let (first, second) = (Inbox(), Inbox())
        return (
            InMemoryChannel(inbox: first, outbox: second), InMemoryChannel(inbox: second, outbox: first)
        )
    }

    package func send(_ message: ArraySlice<UInt8>) async throws(TransportError) {
        if Task.isCancelled { throw .cancelled }
        try outbox.append(Array(message))
    }

    package func receive() async throws(TransportError) -> [UInt8] {
        try await inbox.next()
    }

    package func close() async {
        inbox.close(by: .own)
        outbox.close(by: .peer)
    }

    deinit {
        inbox.close(by: .own)
        outbox.close(by: .peer)
    }
}

/// The messages that one end has not received yet, and the task that waits for the next one.
private final class Inbox: Sendable {
    private typealias Delivery = Result<[UInt8], TransportError>

    private struct State {
        var messages: [[UInt8]] = []
        /// The side that closed the channel, as seen from the end that reads from this inbox.
        var closedBy: ChannelSide?
        var waiter: CheckedContinuation<Delivery, Never>?
    }

    private let state = Mutex(State())

    func append(_ message: [UInt8]) throws(TransportError) {
        let waiter = try state.withLock { state throws(TransportError) in
            // `closedBy` is from the reading end's view. The sender is on the other side, so its error names
            // the opposite side.
            if let side = state.closedBy { throw .closed(by: side == .own ? .peer : .own) }
            if state.waiter == nil { state.messages.append(message) }
            return state.waiter.take()
        }
        waiter?.resume(returning: .success(message))
    }

    /// Waits for the next message and returns it.
    func next() async throws(TransportError) -> [UInt8] {
        let delivery = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let delivery = deliverOrWait(continuation) { continuation.resume(returning: delivery) }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume(returning: .failure(.cancelled))
        }
        return try delivery.get()
    }

    /// Returns the next message or the reason why no message comes. If a message may still come, stores the
    /// continuation and returns `nil`.
    private func deliverOrWait(_ continuation: CheckedContinuation<Delivery, Never>) -> Delivery? {
        state.withLock { state in
            if Task.isCancelled { return .failure(.cancelled) }
            // Messages that the peer sent before it closed are still delivered. After this end has closed the
            // channel, it receives no message.
            if state.closedBy == .own { return .failure(.closed(by: .own)) }
            if !state.messages.isEmpty { return .success(state.messages.removeFirst()) }
            if let side = state.closedBy { return .failure(.closed(by: side)) }
            guard state.waiter == nil else { return .failure(.alreadyWaiting) }
            state.waiter = continuation
            return nil
        }
    }

    /// Records which side closed the channel first, and ends the wait of the reading end.
    func close(by side: ChannelSide) {
        let waiter = state.withLock { state in
            if state.closedBy == nil { state.closedBy = side }
            return state.waiter.take()
        }
        waiter?.resume(returning: .failure(.closed(by: side)))
    }
}
