internal import PresentationService
internal import Hummingbird

/// An operation of the API: method, path, access and handler.
struct APIRoute: Sendable {
    /// The callers who may use a route.
    enum Access: Sendable {
        /// Everybody who reaches the daemon. Such a route reveals nothing about persons, presentations or
        /// callers.
        case everybody
        /// Callers with one of these scopes.
        case scopes(Set<Scope>)
    }

    let method: HTTPRequest.Method
    /// The path as in the OpenAPI document, with `{name}` for a parameter.
    let path: String
    let access: Access
    /// The function that answers a request. Throws an `APIProblem`, or a `PresentationServiceError`, which
    /// `Gate` translates.
    let handler: @Sendable (APICall) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String, for access: Access,
        handler: @escaping @Sendable (APICall) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.handler = handler
    }

    /// Whether a request's path matches the route's path.
    func matches(_ path: String) -> Bool {
        let own = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let other = path.split(separator: "/", omittingEmptySubsequences: false)
        return own.count == other.count && zip(own, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}
