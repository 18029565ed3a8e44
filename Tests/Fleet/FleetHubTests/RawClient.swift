import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

@testable import Fleet

/// A TLS connection of somebody, without a certificate or with a kiosk's, who sends what the test says, and reads when it says so.
final class RawClient: Sendable {
    private let channel: any Channel
    private let received: Received

    private init(_ channel: any Channel, _ received: Received) {
        self.channel = channel
        self.received = received
    }

    /// - Parameter kiosk: whose certificate it shows; nil for none.
    static func open(_ port: Int, as kiosk: EnrolledKiosk? = nil) async throws -> RawClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        if let kiosk {
            let folder = try FleetFolder(store: kiosk.settings.store)
            tls.certificateChain = try NIOSSLCertificate.fromPEMFile(folder.certificatePath)
                .map { .certificate($0) }
            tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: folder.keyPath, format: .pem))
        }
        let context = try NIOSSLContext(configuration: tls)
        let received = Received()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let operations = channel.pipeline.syncOperations
                    try operations.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                    try operations.addHandler(ReceivedHandler(received))
                }
            }.connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel, received)
    }

    var isOpen: Bool { channel.isActive }
    /// How many bytes came.
    var count: Int { received.bytes.withLock { $0.count } }
    /// The first of them.
    var beginning: String { received.bytes.withLock { String(decoding: $0.beginning, as: UTF8.self) } }

    func send(_ text: String) {
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    func setReading(_ isReading: Bool) async throws {
        try await channel.setOption(ChannelOptions.autoRead, value: isReading).get()
    }

    func close() { channel.close(promise: nil) }
}

private final class Received: Sendable {
    let bytes = Mutex((count: 0, beginning: [UInt8]()))
}

private final class ReceivedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let received: Received

    init(_ received: Received) {
        self.received = received
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let new = unwrapInboundIn(data).readableBytesView
        received.bytes.withLock { bytes in
            bytes.count += new.count
            if bytes.beginning.count < 1 << 12 { bytes.beginning += new }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
