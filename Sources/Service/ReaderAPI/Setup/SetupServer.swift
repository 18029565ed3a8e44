package import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
package import ServiceLifecycle

/// The HTTP server of the setup page, on loopback only. It serves none of the daemon's routes.
///
/// A request passes through `ListeningServer` (at most `mostConnections` at once), `Gate` (host, origin,
/// problem details) and the checks of `SetupRoutes`.
package struct SetupServer: Service {
    package static let host = "127.0.0.1"
    private static let mostConnections = 16

    private let port: Int
    private let responder: RouterResponder<APIContext>
    private let log: Logger
    private let listening: @Sendable (Int?) async -> Void

    /// - Parameters:
    ///   - report: reports to the terminal what the page does.
    ///   - listening: called as soon as the listener accepts connections.
    package init(
        port: Int, access: SetupAccess, page: PageFiles, programs: SetupPrograms, log: Logger,
        report: @escaping @Sendable (String) -> Void, listening: @escaping @Sendable (Int?) async -> Void
    ) {
        self.port = port
        self.log = log
        self.listening = listening
        let routes = SetupRoutes(
            access: access, page: page, programs: programs, host: "\(Self.host):\(port)", report: report
        ).all
        let router = Router(context: APIContext.self)
        router.add(
            middleware: Gate(
                listener: .tcp, hosts: HostRules(port: port), routes: routes, metrics: HTTPMetrics()))
        for route in routes {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.handler(APICall(request: request, context: context, caller: nil))
            }
        }
        responder = router.buildResponder()
    }

    package func run() async throws {
        try await ListeningServer(
            at: .tcp(host: Self.host, port: port),
            connections: OpenConnectionBook(
                limit: Self.mostConnections, strangerPlaces: Self.mostConnections,
                strangerLifetime: TimeAmount(SetupAccess.lifetime), wasRefused: {}),
            tls: nil, limits: ConnectionLimits(idle: .seconds(60), answersOnEventLoop: false),
            refusal: APIProblem.tooManyConnections, log: log, listening: listening
        ) { request, writer, channel in
            let context = APIContext(
                source: ApplicationRequestContextSource(channel: channel, logger: log))
            var response = try await responder.respond(to: request, context: context)
            let isLast = context.body.leavesMuch(of: request)
            if isLast { response.headers[.connection] = "close" }
            try await writer.write(response: response.head, body: response.body)
            if isLast { channel.end() }
        }.run()
    }
}
