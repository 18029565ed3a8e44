internal import NIOCore
internal import NIOSSL

/// Reads one request after the other and takes the steps of its answer.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let headEnd = "\r\n\r\n"
    /// The first byte of a client that wants TLS, where none is spoken.
    private static let handshake: UInt8 = 0x16

    private let desk: AnswerDesk
    private var received = ""
    private var isGone = false

    init(_ desk: AnswerDesk) { self.desk = desk }

    func channelInactive(context: ChannelHandlerContext) {
        isGone = true
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard received.utf8.first != Self.handshake else {
            take([.send(ServedAnswer.head(400, length: 0, [])), .close], context)
            return
        }
        while let end = received.firstRange(of: Self.headEnd) {
            let head = received[..<end.lowerBound]
            received = String(received[end.upperBound...])
            answer(head.split(separator: "\r\n").map(String.init), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ lines: [String], _ context: ChannelHandlerContext) {
        let words = (lines.first ?? "").split(separator: " ")
        let path = words.count > 1 ? String(words[1]) : ""
        take(desk.answer(to: ListServer.Request(path: path, lines: lines)).steps[...], context)
    }

    private func take(_ steps: ArraySlice<ServedAnswer.Step>, _ context: ChannelHandlerContext) {
        guard !isGone, let step = steps.first else { return }
        let rest = steps.dropFirst()
        switch step {
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            take(rest, context)
        case .sendForever(let bytes, let pause):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).assumeIsolated().whenSuccess {
                context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(pause)) {
                    self.take(steps, context)
                }
            }
        case .wait(let milliseconds):
            desk.beginWaiting()
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
                self.desk.endWaiting()
                self.take(rest, context)
            }
        case .hold: break
        case .close: context.close(promise: nil)
        case .cut:
            // From TLS on towards the wire: TLS itself is not told.
            let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            (tls ?? context).close(promise: nil)
        }
    }
}
