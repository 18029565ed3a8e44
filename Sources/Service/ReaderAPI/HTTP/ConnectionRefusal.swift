internal import JSON
internal import NIOCore

/// Answers `tooManyConnections` whatever is asked, and closes.
final class ConnectionRefusal: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// For how long data from the client is discarded: closing with unread bytes would reset the connection, and
    /// the answer would be lost.
    static let timeout = TimeAmount.milliseconds(250)

    private let timeout: TimeAmount
    private var hasAnswered = false

    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { answer(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        answer(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard !hasAnswered else { return }
        hasAnswered = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.text)), promise: nil)
        guard timeout > .zero else { return channel.close(promise: nil) }
        channel.close(mode: .output, promise: nil)
        context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    private static let text: String = {
        let body = APIProblem.tooManyConnections.json.line + "\n"
        return
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"
            + "X-Content-Type-Options: nosniff\r\nRetry-After: 1\r\nConnection: close\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }()
}
