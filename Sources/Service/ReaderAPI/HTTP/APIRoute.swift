internal import PresentationService
internal import Hummingbird

/// One operation of the API: its place, who may use it, and what it does.
struct APIRoute: Sendable {
    enum Access: Sendable {
        /// Everybody who reaches the daemon: it reveals nothing about anybody.
        case everybody
        /// Who has one of these scopes.
        case scopes(Set<Scope>)
    }

    let method: HTTPRequest.Method
    /// As the OpenAPI document writes it, with `{name}` for a parameter.
    let path: String
    let access: Access
    /// Throws an `APIProblem`, or a `PresentationServiceError`, which `Gate` translates.
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

    /// Whether a request's path is this one's.
    func matches(_ path: String) -> Bool {
        let own = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let other = path.split(separator: "/", omittingEmptySubsequences: false)
        return own.count == other.count && zip(own, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}
