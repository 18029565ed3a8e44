internal import Glibc
internal import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import ServiceLifecycle

/// An HTTP/1.1 server at one address, for the daemon and for a hub.
///
/// The server limits the number of connections (`OpenConnectionBook`), the idle time of a connection
/// (`ConnectionLimits`) and the size of a request's header. The server calls `respond` for each request;
/// routing is the task of `respond`. With a certificate (`ServerTLS`), NIO encrypts the connections.
///
/// `run` is called by the program's service group and returns when the listener has ended. Connections are
/// handled on SwiftNIO's event loops; `respond` runs there too if `ConnectionLimits.answersOnEventLoop` is
/// true.
///
/// A Unix socket is claimed by a lock file first, so that a second daemon gets an error instead of taking
/// over the path.
package struct ListeningServer: Service {
    package typealias Responder =
        @Sendable (
            _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
        ) async throws -> Void

    /// The number of connections that the system holds until they are accepted.
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

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - tls: the certificate; `nil` for plain HTTP.
    ///   - refusal: the response, with status 503, to a connection above the limit.
    ///   - caller: returns the name of the caller to whom a verified client certificate (DER) belongs, or
    ///     `nil` if the certificate names no caller.
    ///   - listening: called as soon as the listener accepts connections, with its port, or with `nil` for
    ///     a Unix socket.
    ///   - respond: called for each request.
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
            // Nothing else uses the claim. Without this line Swift could release it before the server has
            // ended.
            _ = consume claim
        } catch let error as IOError {
            throw ListenerFault(address: address, code: error.errnoCode)
        } catch is UnixDomainSocketPathWrongType {
            throw ListenerFault(address: address, code: ENOTSOCK)
        }
    }

    /// The server of Hummingbird's core. Hummingbird's `Application` is not used, because it wakes up every
    /// second to renew the Date header.
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
                // The file of the socket exists from now on.
                if case .socket(let path, let mode) = address { SocketFile.open(path, mode: mode) }
                await listening(channel.localAddress?.port)
            })
    }

    /// Marks the connection as answering while `respond` runs, so that it is not closed to make room.
    private func answer(
        _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        connections.setAnswering(true, on: channel)
        defer { connections.setAnswering(false, on: channel) }
        try await respond(request, writer, channel)
    }

    /// The log without cancellation errors. If one listener cannot be opened, the others are cancelled. Their
    /// cancellation errors are no faults and are not logged.
    private var listenerLog: Logger {
        var quiet = log
        quiet.handler = UncancelledLog(handler: log.handler)
        return quiet
    }
}

/// The rules that keep a slow connection from holding up the others: two time limits, and whether the
/// connection's event loop answers its requests.
package struct ConnectionLimits: Sendable {
    /// The time after which a connection is closed if no complete request has arrived.
    let idle: TimeAmount
    /// The time after which a connection is closed if its client accepts no bytes of an answer; `nil` for no
    /// limit.
    let write: TimeAmount?
    /// Whether requests are answered on the event loop of their connection. Use false if computing an answer
    /// may take long, because that would delay other connections.
    let answersOnEventLoop: Bool

    package init(idle: TimeAmount, write: TimeAmount? = nil, answersOnEventLoop: Bool) {
        self.idle = idle
        self.write = write
        self.answersOnEventLoop = answersOnEventLoop
    }
}

extension ListeningServer {
    /// The address of a listener.
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

/// A log handler that drops messages about cancelled tasks.
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
        // The HTTP server writes an error at the end of its message.
        guard !event.message.description.hasSuffix("CancellationError()") else { return }
        handler.log(event: event)
    }
}
