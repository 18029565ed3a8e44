internal import NIOCore

/// Closes a connection whose peer takes nothing of what is written to it: it would be held for as long as the peer likes. Comes
/// before all else that handles the connection.
final class WriteDeadline: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let limit: TimeAmount
    /// How many writes the system has not taken yet.
    private var waiting = 0
    private var deadline = NIODeadline.distantFuture
    private var isWatching = false

    /// - Parameter limit: how long one write may take.
    init(_ limit: TimeAmount) {
        self.limit = limit
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise(of: Void.self)
        if waiting == 0 { deadline = .now() + limit }
        waiting += 1
        written.futureResult.assumeIsolated().whenComplete { _ in
            self.waiting -= 1
            self.deadline = .now() + self.limit
        }
        context.write(data, promise: written)
        watch(context)
    }

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
