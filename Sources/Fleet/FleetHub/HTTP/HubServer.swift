internal import Fleet
package import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import NIOSSL
package import ServiceLifecycle

/// The hub's HTTPS server for kiosks and operators.
///
/// `HTTPServing` supplies the listener, limits and TLS; this type adds the hub's limits, router and problems
/// (`HubProblem`). `countersign-hub` runs it as a service.
///
/// - A kiosk is identified by its certificate, an operator by a token. Kiosks and operators may have
///   `connections` open connections together.
/// - A client with neither a kiosk's certificate nor an operator's token is a *stranger*. A stranger can
///   enrol a kiosk, load the operators' page, or request `/healthz`. The connections of strangers have a
///   separate maximum number and a short maximum time. Strangers can therefore not keep a kiosk out, and
///   kiosks cannot keep out a computer that enrols.
/// - One kiosk or operator has at most 16 connections.
/// - Requests are not answered on the connection's event loop, because a push of receipts verifies thousands
///   of signatures.
///
/// TLS verifies only that the fleet chain's authority issued the client's certificate. `HubRoutes` decides
/// for each request whether the kiosk is still enrolled. A refused request ends its connection.
package struct HubServer: Service {
    /// The time after a problem during which the client's data is discarded, so that the client can read the
    /// answer.
    private static let discardTime = TimeAmount.seconds(2)
    /// The minimum number of connections that strangers may have, even with few kiosks. Strangers are clients
    /// that are neither a known kiosk nor an operator. A kiosk counts as a stranger until its handshake is
    /// complete. When the maximum is reached, each new connection of a stranger closes the oldest one.
    private static let fewestStrangerPlaces = 256
    /// The maximum number of connections of one kiosk or one operator's token. A kiosk's client uses at most
    /// eight.
    private static let mostOfOneCaller = 16

    private let host: String
    private let port: Int
    private let tls: ServerTLS
    private let responder: RouterResponder<HubContext>
    private let connections: OpenConnectionBook
    private let idle: TimeAmount
    private let writeTimeout: TimeAmount
    private let log: Logger
    private let limitedLog: LimitedLog
    private let listening: @Sendable (Int?) async -> Void

    /// - Parameters:
    ///   - connections: The maximum number of connections of kiosks and operators together. All other clients
    ///     (strangers) have a separate maximum, which is half of this number but at least 256.
    ///   - strangerLifetime: The maximum time of a connection on which no kiosk or operator was identified.
    ///   - idle: The maximum time without a request, or with an incomplete one.
    ///   - writeTimeout: The maximum time in which a client reads nothing of an answer.
    ///   - listening: A function that is called with the port when the server accepts requests.
    package init(
        host: String, port: Int, tls: ServerTLS, routes: HubRoutes, connections: Int,
        strangerLifetime: Duration = .seconds(10), idle: Duration = .seconds(30),
        writeTimeout: Duration = .seconds(60), log: Logger,
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
                limitedLog.warning(
                    "all places for connections are taken: a connection was closed, or a new one was refused")
            })
        self.idle = TimeAmount(idle)
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

    /// Raises this process's limit of open files to the number that this many connections need, as far as the
    /// system permits.
    package static func makeRoom(for connections: Int) {
        OpenConnections.makeRoom(for: connections + strangerPlaces(beside: connections), listeners: 1)
    }

    package func run() async throws {
        // Unlike in `countersignd`, requests are not answered on the connection's event loop, because a push
        // of receipts has thousands of signatures to verify.
        let limits = ConnectionLimits(
            idle: idle, write: writeTimeout, answersOnEventLoop: false)
        try await ListeningServer(
            at: .tcp(host: host, port: port), connections: connections, tls: tls, limits: limits,
            refusal: HubProblem.tooManyConnections, caller: { HubRoutes.kiosk(in: $0)?.name.text }, log: log,
            listening: listening
        ) { request, writer, channel in try await answer(request, to: writer, on: channel) }.run()
    }

    /// Finds the route of a request, and writes the route's response.
    private func answer(
        _ request: Request, to writer: consuming ResponseWriter, on channel: any Channel
    ) async throws {
        var context = HubContext(source: ApplicationRequestContextSource(channel: channel, logger: log))
        context.connections = connections
        let response = try await responder.respond(to: request, context: context)
        try await writer.write(response: response.head, body: response.body)
        // A refused request may have a long body, which the hub does not read.
        if response.headers[.connection] == "close" { channel.end(discardingFor: Self.discardTime) }
    }
}

/// The context of one request.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// The record of all open connections and their callers. `HubServer` sets this property after `init`,
    /// because Hummingbird prescribes the only parameter of `init`.
    var connections: OpenConnectionBook?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Answers with the problem (RFC 9457) that a route throws. Any other error is answered with `failed`,
/// without the error's text.
private struct ProblemMiddleware: RouterMiddleware {
    let log: LimitedLog

    func handle(
        _ request: Request, context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do {
            // PostgreSQL accepts only UTF-8 without NUL, so other paths and queries are refused before a
            // route is chosen.
            guard TargetText.isReadable(request.uri.string) else { throw HubProblem.queryRefused }
            var response = try await next(request, context)
            response.headers[.cacheControl] = "no-store"
            return response
        } catch let problem as HubProblem {
            return .refusal(problem)
        } catch let error as HTTPError where error.status == .notFound {
            // Hummingbird's router throws this error for a path without a route.
            return .refusal(.notFound)
        } catch {
            log.error("a route failed", ["type": "\(type(of: error))"])
            return .refusal(.failed)
        }
    }
}

/// A request whose caller and content are unverified.
struct HubCall {
    /// The maximum time until a request's whole body has arrived.
    private static let bodyTimeout = TimeAmount.seconds(20)

    let request: Request
    let context: HubContext

    /// Returns the certificate that the client showed and TLS verified, in DER, or `nil` if it showed none.
    func peerCertificate() async -> [UInt8]? {
        guard let certificate = try? await context.channel.nioSSL_peerCertificate().get() else { return nil }
        return try? certificate.toDERBytes()
    }

    /// Returns the value of a path parameter: the part of the request's path where the route's path has
    /// `{name}`.
    func parameter(_ name: String) throws(HubProblem) -> String {
        guard let value = context.parameters.get(name) else { throw .notFound }
        return value
    }

    /// Returns the body. Throws if the body has more than `limit` bytes, is cut off, or does not arrive in
    /// time.
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

    /// Records that `caller` has been identified on this connection. The limits for unknown clients then no
    /// longer apply to the connection.
    func identifyCaller(as caller: String) { context.connections?.identify(context.channel, as: caller) }

    /// The token in `Authorization: Bearer`, or `nil` without one.
    var bearer: String? { request.headers[.authorization]?.bearerToken }
}

extension Response {
    /// Returns the response for a refused request, after which the connection ends.
    static func refusal(_ refusal: HubProblem) -> Response {
        var response = problem(refusal)
        response.headers[.cacheControl] = "no-store"
        response.headers[.connection] = "close"
        return response
    }

    static var noContent: Response { Response(status: .noContent) }
}
