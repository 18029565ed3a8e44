internal import Fleet
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import JSON
package import Logging
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
package import ReaderAPI
internal import ServiceLifecycle

/// The hub's HTTP over TLS. Kiosks show their certificates; who shows none can enrol and nothing else.
package struct HubServer: Service {
    /// How long a connection may be open without a request, or with an incomplete one.
    private static let idleSeconds: Int64 = 30
    /// For how long what a client sends after a problem is discarded: it reads the answer meanwhile.
    private static let discardTime = TimeAmount.seconds(2)
    /// How many connections the system holds until they are taken.
    private static let backlog = 4096

    private let host: String
    private let port: Int
    private let tls: ServerTLS
    private let responder: RouterResponder<HubContext>
    private let count: ConnectionCount
    private let writeTimeout: TimeAmount
    private let log: Logger
    private let listening: @Sendable (Int?) async -> Void

    /// - Parameters:
    ///   - connections: how many may be open at once.
    ///   - writeTimeout: how long a client may take nothing of what is written to it.
    ///   - listening: called with the port once requests are taken.
    package init(
        host: String, port: Int, tls: ServerTLS, routes: HubRoutes, connections: Int,
        writeTimeout: Duration = .seconds(60), log: Logger,
        listening: @escaping @Sendable (Int?) async -> Void
    ) {
        self.host = host
        self.port = port
        self.tls = tls
        self.log = log
        self.listening = listening
        count = ConnectionCount(limit: connections)
        self.writeTimeout = TimeAmount(writeTimeout)
        let router = Router(context: HubContext.self)
        router.add(middleware: ProblemMiddleware(log: log))
        for route in routes.all {
            router.on(RouterPath(route.path), method: route.method) { request, context in
                try await route.handler(HubCall(request: request, context: context))
            }
        }
        responder = router.buildResponder()
    }

    package func run() async throws {
        let http = HTTP1Channel.Configuration(
            idleTimeout: .seconds(Self.idleSeconds),
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 1 << 13, maxHeaderListSize: 1 << 14, maxHeaderFieldCount: 64))
        let builder = HTTPServerBuilder { responder in
            HubConnections(
                http: HTTP1Channel(responder: responder, configuration: http), tls: tls, count: count,
                writeTimeout: writeTimeout)
        }
        try await builder.buildServer(
            configuration: ServerConfiguration(address: .hostname(host, port: port), backlog: Self.backlog),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: log,
            responder: { request, writer, channel in
                let context = HubContext(
                    source: ApplicationRequestContextSource(channel: channel, logger: log))
                let response = try await responder.respond(to: request, context: context)
                try await writer.write(response: response.head, body: response.body)
                // What is left of a body that was refused is not read.
                if response.headers[.connection] == "close" { channel.end(discardingFor: Self.discardTime) }
            },
            onServerRunning: { channel in await listening(channel.localAddress?.port) }
        ).run()
    }
}

/// HTTP/1.1 over TLS for a limited number of connections; one above the limit is closed.
private struct HubConnections: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let tls: ServerTLS
    let count: ConnectionCount
    let writeTimeout: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        if !count.enter(channel) { channel.close(promise: nil) }
        do {
            let operations = channel.pipeline.syncOperations
            try operations.addHandler(WriteDeadline(writeTimeout))
            try operations.addHandler(tls.handler)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return http.setup(channel: channel, logger: logger)
    }

    func handle(value: Value, logger: Logger) async {
        await http.handle(value: value, logger: logger)
    }
}

/// One request on its way to its route.
struct HubContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

/// Answers with problems (RFC 9457) where a route throws one, and says nothing of other errors.
private struct ProblemMiddleware: RouterMiddleware {
    let log: Logger

    func handle(
        _ request: Request, context: HubContext,
        next: (Request, HubContext) async throws -> Response
    ) async throws -> Response {
        do {
            var response = try await next(request, context)
            response.headers[.cacheControl] = "no-store"
            return response
        } catch let problem as HubProblem {
            return .problem(problem)
        } catch let error as HTTPError where error.status == .notFound {
            return .problem(.notFound)
        } catch {
            log.error("a route failed", metadata: ["type": "\(type(of: error))"])
            return .problem(.failed)
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
        let body = request.body
        let collecting = Task { try await body.collect(upTo: limit) }
        let timer = context.channel.eventLoop.scheduleTask(in: Self.bodyTimeout) { collecting.cancel() }
        defer { timer.cancel() }
        do {
            return Array(try await collecting.value.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw .bodyTooLong(limit)
        } catch let error as HTTPError where error.status == .contentTooLarge {
            throw .bodyTooLong(limit)
        } catch is CancellationError {
            throw .bodyTooSlow
        } catch {
            throw .bodyCut
        }
    }

    /// The token of `Authorization: Bearer`; nil if it has no token.
    var bearer: String? { request.headers[.authorization]?.bearerToken }
}

extension Response {
    static func problem(_ problem: HubProblem) -> Response {
        var response = json(problem.json)
        response.status = HTTPResponse.Status(code: problem.status)
        response.headers[.contentType] = "application/problem+json"
        if let seconds = problem.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        response.headers[.connection] = "close"
        return response
    }

    static func json(_ value: JSONValue) -> Response {
        bytes(value.utf8 + [UInt8(ascii: "\n")], type: "application/json")
    }

    static func bytes(_ bytes: [UInt8], type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    static var noContent: Response { Response(status: .noContent) }
}
