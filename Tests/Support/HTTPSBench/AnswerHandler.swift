internal import NIOCore
internal import NIOSSL

/// Reads one request after the other and takes the steps of its answer.
final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let headEnd = Array("\r\n\r\n".utf8)
    /// The first byte of a client that wants TLS, where none is spoken.
    private static let handshake: UInt8 = 0x16

    private let desk: AnswerDesk
    private var received: [UInt8] = []
    private var isGone = false

    init(_ desk: AnswerDesk) { self.desk = desk }

    func channelInactive(context: ChannelHandlerContext) {
        isGone = true
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += unwrapInboundIn(data).readableBytesView
        guard received.first != Self.handshake else {
            take([.send(ServedAnswer.head(400, length: 0, [])), .close], context)
            return
        }
        while let request = next() { answer(request, context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// The next request; nil where it has not come as a whole yet.
    private func next() -> ListServer.Request? {
        guard let end = received.firstRange(of: Self.headEnd) else { return nil }
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n").map(String.init)
        let body = received[end.upperBound...].prefix(Self.length(of: lines))
        guard body.count == Self.length(of: lines) else { return nil }
        defer { received.removeSubrange(..<body.endIndex) }
        let words = (lines.first ?? "").split(separator: " ")
        return ListServer.Request(
            path: words.count > 1 ? String(words[1]) : "", lines: lines, body: Array(body))
    }

    /// How many bytes follow the head.
    private static func length(of lines: [String]) -> Int {
        let name = "content-length:"
        guard let line = lines.first(where: { $0.lowercased().hasPrefix(name) }) else { return 0 }
        return Int(line.dropFirst(name.count).filter { $0 != " " }) ?? 0
    }

    private func answer(_ request: ListServer.Request, _ context: ChannelHandlerContext) {
        take(desk.answer(to: request).steps[...], context)
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
