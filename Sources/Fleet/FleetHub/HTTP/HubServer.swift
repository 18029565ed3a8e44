internal import Fleet
package import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOSSL
package import ServiceLifecycle

/// The hub's HTTP over TLS. Kiosks show their certificates; who shows none can enrol and nothing else, and has one of few places for
/// a short time.
package struct HubServer: Service {
    /// How long a connection may be open without a request, or with an incomplete one.
    private static let idleSeconds: Int64 = 30
    /// For how long what a client sends after a problem is discarded: it reads the answer meanwhile.
    private static let discardTime = TimeAmount.seconds(2)
    /// The fewest places of callers without a certificate, however few kiosks there are: a kiosk has one of them until the end of its
    /// handshake, while others push the oldest out.
    private static let fewestStrangerPlaces = 256
    /// How many connections one kiosk, or one operator's token, may have: the client of a kiosk has eight at most.
    private static let mostOfOneCaller = 16

    private let host: String
    private let port: Int
    private let tls: ServerTLS
    private let responder: RouterResponder<HubContext>
    private let connections: OpenConnectionBook
    private let writeTimeout: TimeAmount
    private let log: Logger
    private let limitedLog: LimitedLog
    private let listening: @Sendable (Int?) async -> Void

    /// - Parameters:
    ///   - connections: how many of kiosks and operators may be open at once. Half as many further ones may be strangers'.
    ///   - strangerLifetime: how long a connection may be open on which neither a kiosk nor an operator is known.
    ///   - writeTimeout: how long a client may take nothing of what is written to it.
    ///   - listening: called with the port once requests are taken.
    package init(
        host: String, port: Int, tls: ServerTLS, routes: HubRoutes, connections: Int,
        strangerLifetime: Duration = .seconds(10), writeTimeout: Duration = .seconds(60), log: Logger,
        listening: @escaping @Sendable (Int?) async -> Void
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.log = log
        limitedLog = LimitedLog(log, sourceKey: "kiosk")
        self.listening = listening
        let strangerPlaces = Self.strangerPlaces(beside: connections)
        self.connections = OpenConnectionBook(
            limit: connections + strangerPlaces, strangerPlaces: strangerPlaces, knownPlaces: connections,
            strangerLifetime: TimeAmount(strangerLifetime),
            mostOfOneCaller: Self.mostOfOneCaller,
            wasRefused: { [limitedLog] in
                limitedLog.warning("a connection made room, or was refused: all places are taken")
            })
        self.writeTimeout = TimeAmount(writeTimeout)
        let router = Router(context: HubContext.self)
        router.add(middleware: ProblemMiddleware(log: limitedLog))
        for route in routes.all {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.handler(HubCall(request: request, context: context))
            }
        }
        responder = router.buildResponder()
    }

    private static func strangerPlaces(beside connections: Int) -> Int {
        max(connections / 2, fewestStrangerPlaces)
    }

    /// Lets this process have as many files open as the connections need, as far as the system lets it.
    package static func makeRoom(for connections: Int) {
        OpenConnections.makeRoom(for: connections + strangerPlaces(beside: connections), listeners: 1)
    }

    package func run() async throws {
        // Not on the connection's event loop, as a daemon does: a push of receipts has thousands of signatures to verify.
        let limits = ConnectionLimits(
            idle: .seconds(Self.idleSeconds), write: writeTimeout, answersOnEventLoop: false)
        try await ListeningServer(
            at: .tcp(host: host, port: port), connections: connections, tls: tls, limits: limits,
            refusal: HubProblem.tooManyConnections, caller: { HubRoutes.kiosk(in: $0)?.name.text }, log: log,
            listening: listening
        ) { request, writer, channel in try await answer(request, to: writer, on: channel) }.run()
    }

    private func answer(
        _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var context = HubContext(source: ApplicationRequestContextSource(channel: channel, logger: log))
        context.connections = connections
        let response = try await responder.respond(to: request, context: context)
        try await writer.write(response: response.head, body: response.body)
        // What is left of a body that was refused is not read.
        if response.headers[.connection] == "close" { channel.end(discardingFor: Self.discardTime) }
    }
}

/// One request on its way to its route.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// Where the caller of this request becomes known; nil in no request of a server.
    var connections: OpenConnectionBook?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Answers with problems (RFC 9457) where a route throws one, and says nothing of other errors.
private struct ProblemMiddleware: RouterMiddleware {
    let log: LimitedLog

    func handle(
        _ request: Request, context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do {
            guard TargetText.isReadable(request.uri.string) else { throw HubProblem.queryRefused }
            var response = try await next(request, context)
            response.headers[.cacheControl] = "no-store"
            return response
        } catch let problem as HubProblem {
            return .refusal(problem)
        } catch let error as HTTPError where error.status == .notFound {
            return .refusal(.notFound)
        } catch {
            log.error("a route failed", ["type": "\(type(of: error))"])
            return .refusal(.failed)
        }
    }
}

/// A request of which nothing is believed yet.
struct HubCall {
    /// How long a body may take.
    private static let bodyTimeout = TimeAmount.seconds(20)

    let request: Request
    let context: HubContext

    /// The certificate that the client showed, in DER; TLS has verified it. Nil if it showed none.
    func peerCertificate() async -> [UInt8]? {
        guard let certificate = try? await context.channel.nioSSL_peerCertificate().get() else { return nil }
        return try? certificate.toDERBytes()
    }

    func parameter(_ name: String) throws(HubProblem) -> String {
        guard let value = context.parameters.get(name) else { throw .notFound }
        return value
    }

    func body(upTo limit: Int) async throws(HubProblem) -> [UInt8] {
        do throws(BodyFault) {
            return try await request.body.bytes(
                upTo: limit, within: Self.bodyTimeout, on: context.channel.eventLoop)
        } catch {
            switch error {
            case .tooLong(let limit): throw .bodyTooLong(limit)
            case .tooSlow: throw .bodyTooSlow
            case .cut: throw .bodyCut
            }
        }
    }

    /// Records who asks on this connection, which is a stranger's no more.
    func know(_ caller: String) { context.connections?.know(context.channel, as: caller) }

    /// The token of `Authorization: Bearer`; nil if it has no token.
    var bearer: String? { request.headers[.authorization]?.bearerToken }
}

extension Response {
    /// The response to a request that is refused. It ends the connection.
    static func refusal(_ refusal: HubProblem) -> Response {
        var response = problem(refusal)
        response.headers[.cacheControl] = "no-store"
        response.headers[.connection] = "close"
        return response
    }

    static var noContent: Response { Response(status: .noContent) }
}
