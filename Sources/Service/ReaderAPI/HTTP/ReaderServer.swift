internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import ReaderService
internal import ServiceLifecycle

/// The HTTP server of one listener.
package struct ReaderServer: Service {
    /// Where it listens.
    package enum Address: Equatable, Sendable {
        case socket(path: String, mode: UInt32)
        case tcp(host: String, port: Int)
    }

    private let address: Address
    private let responder: RouterResponder<APIContext>
    private let connections: OpenConnectionBook
    private let tls: ServerTLS?
    private let log: Logger
    private let listening: @Sendable (Int?) async -> Void

    /// - Parameters:
    ///   - store: the folder of the daemon's store; nil if it has none.
    ///   - connections: how many may be open at once.
    ///   - tls: nil for plain HTTP.
    ///   - listening: called with the port, or with nil on a socket, once requests are taken.
    package init(
        at address: Address, coordinator: PresentationCoordinator, brands: BrandRoutes,
        online: OnlineVerifier? = nil, store: String? = nil,
        access: AccessBook, pages: PageSessions, hosts: HostRules, page: PageFiles, connections: Int,
        tls: ServerTLS? = nil,
        log: Logger,
        listening: @escaping @Sendable (Int?) async -> Void
    ) {
        let listener: Listener =
            switch address {
            case .socket: .socket
            case .tcp: .tcp
            }
        self.address = address
        self.connections = OpenConnectionBook(
            limit: connections, strangerLifetime: .seconds(Self.strangerSeconds),
            wasRefused: { [metrics = coordinator.metrics] in metrics.refused(.tooManyConnections) })
        self.tls = tls
        self.log = log
        self.listening = listening
        let pageSessions = PageSessionRoutes(sessions: pages, access: access, coordinator: coordinator)
        let owner = OwnerRoutes(
            coordinator: coordinator, access: access, records: store.map(OwnerRecords.init),
            started: coordinator.clock.now)
        let routes = Self.routes(coordinator, brands, online, page, pageSessions, owner)
        let router = Router(context: APIContext.self)
        router.add(
            middleware: Gate(listener: listener, hosts: hosts, routes: routes, metrics: coordinator.metrics))
        for route in routes {
            Self.register(
                route, on: router, Caller(listener: listener, rules: access, pages: pages),
                self.connections)
        }
        responder = router.buildResponder()
    }

    /// How many connections the system holds until they are taken, and served or refused.
    private static let backlog = 4096

    private static let http = HTTP1Channel.Configuration(
        idleTimeout: .seconds(idleSeconds),
        httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 1 << 13, maxHeaderListSize: 1 << 14, maxHeaderFieldCount: 64))

    /// How long a connection may be open without a request, or with an incomplete one.
    private static let idleSeconds: Int64 = 15

    /// How long a connection may be open on which no known caller has asked anything, whatever else happens on it.
    private static let strangerSeconds: Int64 = 30

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
        let builder = HTTPServerBuilder { responder in
            BoundedConnections(
                HTTP1Channel(responder: responder, configuration: Self.http), served: connections,
                tls: tls, refusal: ConnectionEnd.tooManyConnections)
        }
        return try builder.buildServer(
            configuration: ServerConfiguration(
                address: address.bound, backlog: Self.backlog,
                availableConnectionsDelegate: OpenConnections.delegate(for: connections.limit)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: listenerLog,
            responder: { request, writer, channel in try await answer(request, writer, channel) },
            onServerRunning: { channel in
                if case .socket(let path, let mode) = address { SocketFile.open(path, mode: mode) }
                await listening(channel.localAddress?.port)
            })
    }

    /// Where one listener cannot be opened the others are cancelled, which is no fault of theirs.
    private var listenerLog: Logger {
        var quiet = log
        quiet.handler = UncancelledLog(handler: log.handler)
        return quiet
    }

    private func answer(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
    ) async throws {
        let context = APIContext(source: ApplicationRequestContextSource(channel: channel, logger: log))
        connections.answering(true, on: channel)
        defer { connections.answering(false, on: channel) }
        var response = try await responder.respond(to: request, context: context)
        response.headers[.date] = HTTPDate.now
        let isLast = context.body.leavesMuch(of: request)
        if isLast { response.headers[.connection] = "close" }
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // The server would send its own response in the middle of ours.
            throw CancellationError()
        }
        // The server would read the rest of the body, however long it is.
        if isLast { channel.end(discardingFor: ConnectionEnd.timeout) }
    }

    /// Every operation there is, in the order of the document.
    static func routes(
        _ coordinator: PresentationCoordinator, _ brands: BrandRoutes, _ online: OnlineVerifier?,
        _ page: PageFiles, _ pageSessions: PageSessionRoutes, _ owner: OwnerRoutes
    ) -> [APIRoute] {
        coordinator.presentationRoutes + OnlineRoutes(verifier: online).all + coordinator.laneRoutes
            + coordinator.recordRoutes + coordinator.systemRoutes + brands.routes + page.routes
            + pageSessions.all + owner.all
    }

    private static func register(
        _ route: APIRoute, on router: Router<APIContext>, _ caller: Caller, _ connections: OpenConnectionBook
    ) {
        router.on(RouterPath(route.path), method: route.method) { request, context in
            var known: KnownCaller?
            if case .scopes(let due) = route.access {
                known = try await caller.known(by: request, context)
                if let known { connections.know(context.channel, as: known.name) }
                guard known?.scopes.isDisjoint(with: due) == false else { throw APIProblem.forbidden }
            }
            return try await route.handler(APICall(request: request, context: context, caller: known))
        }
    }
}

extension ReaderServer.Address {
    fileprivate var bound: BindAddress {
        switch self {
        case .socket(let path, _): .unixDomainSocket(path: path)
        case .tcp(let host, let port): .hostname(host, port: port)
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
