internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// A handler directly behind TLS, which records when the handshake is complete and reports the client's
/// certificate.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Whether the handshake is complete. Data can be sent only then.
    private(set) var isComplete = false
    private let certified: ([UInt8]) -> Void

    /// Creates the handler.
    ///
    /// - Parameter certified: called with the client's certificate in DER, which TLS has verified. Not called
    ///   if the client shows no certificate.
    init(certified: @escaping ([UInt8]) -> Void) {
        self.certified = certified
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isComplete = true
            // Without a certificate the caller of the connection stays unknown.
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if let der = try? certificate?.toDERBytes() { certified(der) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

/// A handler before TLS, which reports the first bytes of a connection and then removes itself. If there are
/// too many connections, `OpenConnectionBook` first closes connections that have sent nothing.
final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private var came: (() -> Void)?

    init(came: @escaping () -> Void) {
        self.came = came
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        came?()
        came = nil
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

extension Channel {
    /// Closes the connection without the closing exchange of TLS, in which a silent peer could hold the
    /// connection for five seconds.
    func closeAtOnce() {
        eventLoop.execute {
            guard let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            else { return self.close(promise: nil) }
            // A close that begins at the context of the TLS handler skips this handler and goes on to the
            // socket.
            tls.close(promise: nil)
        }
    }
}
