internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A server for lists on 127.0.0.1, in the process of the test, that does as its answers say.
package final class ListServer: Sendable {
    /// What the server speaks once there is a connection.
    package enum Speaks: Sendable {
        case tls(BenchAuthority, showing: BenchAuthority.Shows)
        /// HTTP without TLS.
        case plain
        /// Nothing: it takes connections and is silent.
        case nothing
    }

    package struct Request: Sendable {
        package let path: String
        /// As they came, without their line ends.
        package let lines: [String]
        package let body: [UInt8]
    }

    /// What is answered to a request.
    package typealias Answering = @Sendable (Request) -> ServedAnswer

    package let port: Int
    private let scheme: String
    private let listener: any Channel
    private let desk: AnswerDesk

    /// How many connections were taken.
    package var connections: Int { desk.connections }
    /// How many of them are open.
    package var open: Int { desk.open }
    /// What was asked so far.
    package var requests: [Request] { desk.requests }
    /// How many answers were waited for at the same time at most.
    package var mostAtOnce: Int { desk.mostAtOnce }

    private init(_ listener: any Channel, port: Int, scheme: String, desk: AnswerDesk) {
        self.listener = listener
        self.port = port
        self.scheme = scheme
        self.desk = desk
    }

    /// - Parameters:
    ///   - answers: by path; another path is answered 404.
    ///   - dropped: the number of connections that are closed at once, before their handshake.
    package static func start(
        _ speaks: Speaks, _ answers: [String: ServedAnswer], droppingFirst dropped: Int = 0
    ) async throws -> ListServer {
        let desk = AnswerDesk(answers)
        let context: NIOSSLContext? =
            if case .tls(let authority, let shows) = speaks {
                try NIOSSLContext(configuration: authority.serverConfiguration(showing: shows))
            } else { nil }
        let isSilent = if case .nothing = speaks { true } else { false }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                let number = desk.noteConnection()
                channel.closeFuture.whenComplete { _ in desk.endConnection() }
                return channel.eventLoop.makeCompletedFuture {
                    if isSilent { return }
                    if number <= dropped { return channel.close(promise: nil) }
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(AnswerHandler(desk))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        return ListServer(listener, port: port, scheme: context == nil ? "http" : "https", desk: desk)
    }

    package func url(_ path: String) -> String { "\(scheme)://127.0.0.1:\(port)\(path)" }

    /// Answers a path in this way from now on.
    package func answer(_ path: String, with answer: ServedAnswer) { desk.set(path) { _ in answer } }

    /// The same by what is asked.
    package func answer(_ path: String, by answering: @escaping Answering) { desk.set(path, answering) }

    /// No new connection is taken.
    package func stop() async { try? await listener.close() }
}
