internal import ErrorMapping
internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import PresentationService
internal import Synchronization

/// The middleware around every route.
///
/// Before the route it refuses requests with a foreign Host or Origin (`HostRules`) and targets that are not
/// UTF-8. After the route it does three things:
/// - It turns each error into problem details: an `APIProblem` as it is, a `PresentationServiceError` by
///   `APIProblem+Service`, an unknown path into `notFound` or `methodNotAllowed`, and anything else into
///   `failed`, which is logged without its text.
/// - It counts statuses and ids of problems in `HTTPMetrics`.
/// - It adds headers that keep browsers from storing, interpreting or framing an answer, unless the route has
///   set them.
///
/// The gate does not recognise callers; `ReaderServer` does that for each route with `Caller`. The gate never
/// reads a body and never changes a successful answer.
struct Gate: RouterMiddleware {
    let listener: Listener
    let hosts: HostRules
    let routes: [APIRoute]
    let metrics: HTTPMetrics

    func handle(
        _ request: Request, context: APIContext, next: (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            try mapping(checkOrigin(of: request), APIProblem.init(host:))
            guard TargetText.isReadable(request.uri.string) else { throw APIProblem.targetUnreadable }
            response = try await next(request, context)
        } catch let problem as APIProblem {
            response = refusal(problem)
        } catch let error as PresentationServiceError {
            response = refusal(APIProblem(error))
        } catch let error as HTTPError where error.status == .notFound {
            // Hummingbird's router also throws `notFound` if only the method is wrong.
            let allowed = routes.filter { $0.matches(request.uri.path) }.map(\.method.rawValue)
            let problem: APIProblem = allowed.isEmpty ? .notFound : .methodNotAllowed
            response = refusal(problem)
            if !allowed.isEmpty { response.headers[.allow] = allowed.joined(separator: ", ") }
        } catch {
            // The text of an unknown error may quote the request. Only its type is logged.
            context.logger.error("a route failed", metadata: ["error": "\(type(of: error))"])
            response = .problem(APIProblem.failed)
        }
        metrics.answered(status: response.status.code)
        for (name, value) in Self.headers where response.headers[name] == nil {
            response.headers[name] = value
        }
        return response
    }

    /// Counts a problem, and returns its response.
    private func refusal(_ problem: APIProblem) -> Response {
        metrics.refused(problem.id)
        var response = Response.problem(problem)
        // The header is required with the status 401 (RFC 9110, 15.5.2).
        if problem == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    /// Checks that the request comes from this computer or the daemon's own page.
    private func checkOrigin(of request: Request) throws(HostRefusal) {
        switch listener {
        case .tcp: try hosts.check(request)
        case .socket: try HostRules.checkNoBrowser(request)
        }
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
        (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    ]
}

/// The counts of HTTP responses and of refusals among them, for all listeners of a daemon.
package final class HTTPMetrics: Sendable {
    private struct State {
        var responses: [Int: Int] = [:]
        var refusals: [String: Int] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    func answered(status: Int) {
        state.withLock { $0.responses[status, default: 0] += 1 }
    }

    func refused(_ id: APIProblem.ID) {
        state.withLock { $0.refusals[id.rawValue, default: 0] += 1 }
    }

    /// Writes the counts as Prometheus metrics.
    func write(to text: inout MetricsText) {
        let counted = state.withLock { $0 }
        text.begin(
            "countersign_http_responses_total", type: "counter", about: "HTTP responses, by status.")
        for (status, count) in counted.responses.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("status", "\(status)")])
        }
        text.begin(
            "countersign_http_refusals_total", type: "counter",
            about: "HTTP refusals, by the id of the problem.")
        for (id, count) in counted.refusals.sorted(by: { $0.key < $1.key }) {
            text.add(Double(count), [("id", id)])
        }
    }
}
