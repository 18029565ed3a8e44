package import PresentationService
package import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOHTTP1
internal import ReaderService
package import ServiceLifecycle

/// The HTTP server of the daemon at one listener: routes, callers and connections.
///
/// The daemon makes one server for each listener, all with the same coordinator and the same access rules. A
/// request passes through `ListeningServer` (connection and header limits), `Gate` (host, origin, problem
/// details), the router, `Caller` (the caller and its rights) and the scopes of its route, in this order.
/// `routes` is the list of all operations, in the order of the OpenAPI document; a test compares the two.
///
/// A request is answered on the event loop of its connection. The server decides nothing about presentations
/// and stores no part of a request.
package struct ReaderServer: Service {
    private let address: ListeningServer.Address
    private let responder: RouterResponder<APIContext>
    private let connections: OpenConnectionBook
    private let tls: ServerTLS?
    private let log: Logger
    private let listening: @Sendable (Int?) async -> Void

    /// Creates the server of one listener.
    ///
    /// - Parameters:
    ///   - store: the folder of the daemon's store; `nil` if it has none.
    ///   - connections: the maximum number of open connections.
    ///   - tls: the certificate; `nil` for plain HTTP.
    ///   - listening: called as soon as the listener accepts connections, with its port, or with `nil` for
    ///     a Unix socket.
    package init(
        at address: ListeningServer.Address, coordinator: PresentationCoordinator, brands: BrandRoutes,
        online: OnlineVerifier? = nil, store: String? = nil,
        access: AccessBook, pages: PageSessions, hosts: HostRules, page: PageFiles, connections: Int,
        tls: ServerTLS? = nil, metrics: HTTPMetrics, log: Logger,
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
            wasRefused: { metrics.refused(.tooManyConnections) })
        self.tls = tls
        self.log = log
        self.listening = listening
        let pageSessions = PageSessionRoutes(
            sessions: pages, access: access, coordinator: coordinator, origin: hosts.origin)
        let owner = OwnerRoutes(
            coordinator: coordinator, access: access, records: store.map(OwnerRecords.init),
            started: coordinator.clock.now)
        let routes = Self.routes(
            of: coordinator, brands: brands, online: online, page: page, pageSessions: pageSessions,
            owner: owner,
            metrics: metrics)
        let router = Router(context: APIContext.self)
        router.add(
            middleware: Gate(listener: listener, hosts: hosts, routes: routes, metrics: metrics))
        for route in routes {
            Self.register(
                route, on: router, for: Caller(listener: listener, rules: access, pages: pages),
                connections: self.connections)
        }
        responder = router.buildResponder()
    }

    /// The seconds after which a connection is closed if no complete request has arrived.
    private static let idleSeconds: Int64 = 15

    /// The seconds after which a connection is closed if no known caller has sent a request on it.
    private static let strangerSeconds: Int64 = 30

    package func run() async throws {
        try await ListeningServer(
            at: address, connections: connections, tls: tls,
            limits: ConnectionLimits(idle: .seconds(Self.idleSeconds), answersOnEventLoop: true),
            refusal: APIProblem.tooManyConnections, log: log, listening: listening
        ) { request, writer, channel in try await answer(request, to: writer, on: channel) }.run()
    }

    /// Answers a request, and closes the connection if the rest of its body is too long to be read.
    private func answer(
        _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        let context = APIContext(source: ApplicationRequestContextSource(channel: channel, logger: log))
        var response = try await responder.respond(to: request, context: context)
        // RFC 9110 (6.6.1) requires the header Date, which the server of Hummingbird's core does not send.
        response.headers[.date] = HTTPDate.now
        let isLast = context.body.leavesMuch(of: request)
        if isLast { response.headers[.connection] = "close" }
        do {
            try await writer.write(response: response.head, body: response.body)
        } catch is HTTPParserError {
            // `HTTPParserError` is replaced by a `CancellationError`, because after any other error the
            // HTTP server would write an error response into the middle of this response.
            throw CancellationError()
        }
        // Without this call the HTTP server would read the rest of the body, however long it is.
        if isLast { channel.end() }
    }

    /// All operations, in the order of the OpenAPI document.
    static func routes(
        of coordinator: PresentationCoordinator, brands: BrandRoutes, online: OnlineVerifier?,
        page: PageFiles, pageSessions: PageSessionRoutes, owner: OwnerRoutes, metrics: HTTPMetrics
    ) -> [APIRoute] {
        coordinator.presentationRoutes + OnlineRoutes(verifier: online).all
            + coordinator.laneRoutes(pageSessions.access) + coordinator.accessoryRoutes
            + coordinator.recordRoutes
            + coordinator.systemRoutes(metrics) + brands.routes + page.routes + pageSessions.all + owner.all
    }

    /// Adds a route to the router, with the check of its caller's scopes.
    private static func register(
        _ route: APIRoute, on router: Router<APIContext>, for caller: Caller, connections: OpenConnectionBook
    ) {
        router.on(RouterPath(route.path), method: route.method) { request, context in
            var known: KnownCaller?
            if case .scopes(let required) = route.access {
                known = try await caller.known(by: request, context)
                // The caller is recorded before the scopes are compared: a known caller without the route's
                // scope keeps its connection.
                if let known { connections.identify(context.channel, as: known.name) }
                guard known?.scopes.isDisjoint(with: required) == false else { throw APIProblem.forbidden }
            }
            return try await route.handler(APICall(request: request, context: context, caller: known))
        }
    }
}
