internal import JSON
package import NIOCore
internal import NIOSSL

/// The first handler of a connection that is being ended. The handler sends an answer if none was sent,
/// discards further bytes of the client for a moment, and closes the connection.
package final class ConnectionEnd: ChannelInboundHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The time for which bytes of the client are discarded. Closing a socket with unread bytes would reset
    /// the connection, and the client would lose the answer.
    package static let timeout = TimeAmount.milliseconds(250)

    /// The maximum number of bytes that are discarded.
    private static let mostDiscarded = 1 << 20

    /// The answer to send, or `nil` if an answer was sent before.
    private let answer: String?
    private let timeout: TimeAmount
    private var hasAnswered = false
    private var discarded = 0

    init(saying answer: String?, timeout: TimeAmount = ConnectionEnd.timeout) {
        self.answer = answer
        self.timeout = timeout
    }

    /// Adds this handler before all others except TLS, which comes first. Call this function on the channel's
    /// event loop.
    func begin(on channel: any Channel) throws {
        let operations = channel.pipeline.syncOperations
        // This handler is added behind TLS, so that the answer is encrypted. A connection without TLS has no
        // TLS handler.
        if let tls = try? operations.handler(type: NIOSSLServerHandler.self) {
            try operations.addHandler(self, position: .after(tls))
        } else {
            try operations.addHandler(self, position: .first)
        }
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { end(context) }
    }

    package func channelActive(context: ChannelHandlerContext) {
        end(context)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        discarded += unwrapInboundIn(data).readableBytes
        if discarded > Self.mostDiscarded { context.channel.closeAtOnce() }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        // The later handlers receive no more bytes and so do not request any. This handler requests them
        // instead.
        context.read()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The client has closed its side. Nothing is left to discard.
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Sends the answer and closes the connection after `timeout`, or immediately if `timeout` is zero.
    private func end(_ context: ChannelHandlerContext) {
        // `handlerAdded` and `channelActive` may both call this function.
        guard !hasAnswered else { return }
        hasAnswered = true
        let channel = context.channel
        if let answer {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        }
        guard timeout > .zero else { return channel.closeAtOnce() }
        context.close(mode: .output, promise: nil)
        context.read()
        context.eventLoop.scheduleTask(in: timeout) { channel.closeAtOnce() }
    }

    /// A complete response with status 503, for a connection above the limit.
    static func refusal(_ problem: any ProblemDetails) -> String {
        let body = problem.json.line + "\n"
        return
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: \(ProblemFormat.mediaType)\r\n"
            + "Cache-Control: no-store\r\n"
            + "X-Content-Type-Options: nosniff\r\nRetry-After: \(problem.retryAfter ?? 1)\r\nConnection: close\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

extension Channel {
    /// Ends a connection after its last answer was written, even if its client still sends.
    ///
    /// - Parameter timeout: the time for which bytes of the client are discarded.
    package func end(discardingFor timeout: TimeAmount = ConnectionEnd.timeout) {
        eventLoop.execute {
            do {
                try ConnectionEnd(saying: nil, timeout: timeout).begin(on: self)
            } catch {
                self.close(promise: nil)
            }
        }
    }
}
