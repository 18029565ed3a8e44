internal import Glibc
internal import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import ServiceLifecycle

/// An HTTP/1.1 server at one address, of the daemon or of a hub.
///
/// It limits how many connections are open, how long one may be idle, and how long the header of a request may be. What is
/// answered is its owner's: `respond` is called for each request.
package struct ListeningServer: Service {
    package typealias Responder =
        @Sendable (
            _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
        ) async throws -> Void

    /// The number of connections that the system holds until they are accepted, and served or refused.
    private static let backlog = 4096

    private let address: Address
    private let connections: OpenConnectionBook
    private let tls: ServerTLS?
    private let limits: ConnectionLimits
    private let refusal: String
    private let caller: @Sendable (_ certificate: [UInt8]) -> String?
    private let log: Logger
    private let listening: @Sendable (Int?) async -> Void
    private let respond: Responder

    /// - Parameters:
    ///   - tls: nil for plain HTTP.
    ///   - refusal: the response, of status 503, to a connection for which there is no place.
    ///   - caller: the name of the known caller who has a certificate, in DER, that TLS has verified; nil if a certificate does not
    ///     say who it is.
    ///   - listening: called with the port, or with nil on a socket, once requests are accepted.
    package init(
        at address: Address, connections: OpenConnectionBook, tls: ServerTLS?, limits: ConnectionLimits,
        refusal: any ProblemDetails, caller: @escaping @Sendable ([UInt8]) -> String? = { _ in nil },
        log: Logger, listening: @escaping @Sendable (Int?) async -> Void, respond: @escaping Responder
    ) {
        self.address = address
        self.connections = connections
        self.tls = tls
        self.limits = limits
        self.refusal = ConnectionEnd.refusal(refusal)
        self.caller = caller
        self.log = log
        self.listening = listening
        self.respond = respond
    }

    package func run() async throws {
        do {
            guard case .socket(let path, _) = address else { return try await server().run() }
            let claim = try SocketFile(claiming: path)
            try await server().run()
            _ = consume claim
        } catch let error as IOError {
            throw ListenerFault(address: address, code: error.errnoCode)
        } catch is UnixDomainSocketPathWrongType {
            throw ListenerFault(address: address, code: ENOTSOCK)
        }
    }

    /// Not Hummingbird's `Application`: that wakes up every second to renew the date of answers.
    private func server() throws -> any Service {
        let http = HTTP1Channel.Configuration(
            idleTimeout: limits.idle,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 1 << 13, maxHeaderListSize: 1 << 14, maxHeaderFieldCount: 64))
        let builder = HTTPServerBuilder { responder in
            BoundedConnections(
                HTTP1Channel(responder: responder, configuration: http), served: connections, tls: tls,
                limits: limits, refusal: refusal, caller: caller)
        }
        return try builder.buildServer(
            configuration: ServerConfiguration(
                address: address.bound, backlog: Self.backlog,
                availableConnectionsDelegate: OpenConnections.delegate(for: connections.limit)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: listenerLog,
            responder: { request, writer, channel in try await answer(request, to: writer, on: channel) },
            onServerRunning: { channel in
                if case .socket(let path, let mode) = address { SocketFile.open(path, mode: mode) }
                await listening(channel.localAddress?.port)
            })
    }

    private func answer(
        _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        connections.answering(true, on: channel)
        defer { connections.answering(false, on: channel) }
        try await respond(request, writer, channel)
    }

    /// Where one listener cannot be opened the others are cancelled, which is no fault of theirs.
    private var listenerLog: Logger {
        var quiet = log
        quiet.handler = UncancelledLog(handler: log.handler)
        return quiet
    }
}

/// How long a connection may do nothing, and where its requests are answered.
package struct ConnectionLimits: Sendable {
    /// How long a connection may be open without a request, or with an incomplete one.
    let idle: TimeAmount
    /// How long a client may take nothing of what is written to it, or `nil` for any time.
    let write: TimeAmount?
    /// Whether requests are answered on the event loop of their connection. It must stay free where an answer takes long to compute.
    let answersOnEventLoop: Bool

    package init(idle: TimeAmount, write: TimeAmount? = nil, answersOnEventLoop: Bool) {
        self.idle = idle
        self.write = write
        self.answersOnEventLoop = answersOnEventLoop
    }
}

extension ListeningServer {
    /// The place where a server listens.
    package enum Address: Equatable, Sendable {
        case socket(path: String, mode: UInt32)
        case tcp(host: String, port: Int)

        fileprivate var bound: BindAddress {
            switch self {
            case .socket(let path, _): .unixDomainSocket(path: path)
            case .tcp(let host, let port): .hostname(host, port: port)
            }
        }
    }
}

/// A log without the errors that the end of a task is.
private struct UncancelledLog: LogHandler {
    var handler: any LogHandler

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard !event.message.description.hasSuffix("CancellationError()") else { return }
        handler.log(event: event)
    }
}
