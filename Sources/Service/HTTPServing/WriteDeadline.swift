internal import NIOCore

/// The first handler of a connection, which closes the connection if the peer accepts no bytes for too long.
/// Otherwise a peer could keep a connection open for an unlimited time.
final class WriteDeadline: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: TimeAmount
    /// The number of writes that the system has not accepted yet.
    private var waiting = 0
    private var deadline = NIODeadline.distantFuture
    private var isWatching = false

    /// Creates the handler.
    ///
    /// - Parameter limit: the time limit of one write.
    init(_ limit: TimeAmount) {
        self.limit = limit
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Each write needs a promise, since its completion is counted.
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        if waiting == 0 { deadline = .now() + limit }
        waiting += 1
        written.futureResult.assumeIsolated().whenComplete { _ in
            // The next waiting write gets the whole time limit, beginning now.
            self.waiting -= 1
            self.deadline = .now() + self.limit
        }
        context.write(data, promise: written)
        watch(context)
    }

    /// Schedules a check at the deadline, unless one is scheduled already. A check that finds a later
    /// deadline schedules the next.
    private func watch(_ context: ChannelHandlerContext) {
        guard waiting > 0, !isWatching else { return }
        isWatching = true
        context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.isWatching = false
            guard self.waiting > 0, self.deadline <= .now() else { return self.watch(context) }
            context.close(promise: nil)
        }
    }
}
