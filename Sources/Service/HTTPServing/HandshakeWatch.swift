internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Learns when the TLS handshake of a connection is complete, and reports the certificate that the client showed. Comes right
/// behind TLS.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Whether something can be sent to the client.
    private(set) var isComplete = false
    private let certified: ([UInt8]) -> Void

    /// - Parameter certified: called with the client's certificate in DER, which TLS has verified, if it showed one.
    init(certified: @escaping ([UInt8]) -> Void) {
        self.certified = certified
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            isComplete = true
            let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
            if let der = try? certificate?.toDERBytes() { certified(der) }
        }
        context.fireUserInboundEventTriggered(event)
    }
}

/// Reports that the first bytes of a connection came, and leaves the pipeline. Comes before TLS.
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
    /// Closes without the exchange that ends TLS: a peer who does not answer would hold the connection for five more seconds.
    func closeAtOnce() {
        eventLoop.execute {
            guard let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            else { return self.close(promise: nil) }
            tls.close(promise: nil)
        }
    }
}
