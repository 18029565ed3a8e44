internal import PresentationService
internal import Glibc
internal import HTTPServing
internal import Hummingbird
internal import NIOCore
internal import ReaderService

/// The recognition of a request's caller.
///
/// On TCP a request carries a bearer token, or the cookie of a page (`PageSessions`). On the Unix socket
/// the system reports the user at the other end. The caller's rights come from the current `AccessRules`,
/// which are read for each request, so that a removed token is refused immediately. `ReaderServer` calls
/// `known` before a route that needs scopes, and compares the scopes itself.
struct Caller: Sendable {
    let listener: Listener
    let rules: AccessBook
    let pages: PageSessions

    /// Returns the caller of a request.
    ///
    /// - Throws: `unauthorized` for an unknown caller; `kioskStopped` if every caller is refused because this
    ///   kiosk was stopped.
    func known(by request: Request, _ context: APIContext) async throws(APIProblem) -> KnownCaller {
        let caller =
            switch listener {
            case .tcp: try holder(of: request)
            case .socket: try await user(at: context.channel)
            }
        rules.recordUse(of: caller, at: WallClock.system.now)
        return caller
    }

    /// The caller who holds the request's token or cookie.
    private func holder(of request: Request) throws(APIProblem) -> KnownCaller {
        let rules = rules.current
        let credentials = request.headers[values: .authorization]
        // The cookie is read only if there is no Authorization header, so that a request with a wrong
        // token is refused.
        if credentials.isEmpty, let page = pages.caller(of: request, under: rules) { return page }
        // Several headers or an overlong value are refused before a digest is computed.
        guard credentials.count == 1, let credential = credentials.first, credential.utf8.count <= 1024,
            let token = credential.bearerToken.flatMap(rules.known(byToken:))
        else { throw refusal(under: rules) }
        return token.caller
    }

    /// The caller for the user at the other end of the Unix socket.
    private func user(at channel: any Channel) async throws(APIProblem) -> KnownCaller {
        let user = await Self.user(of: channel)
        let rules = rules.current
        guard let user, let caller = rules.caller(ofUser: user) else { throw refusal(under: rules) }
        return caller
    }

    /// The problem for an unknown caller. A stopped kiosk has its own problem, so that a till does not look
    /// for a fault in its token.
    private func refusal(under rules: AccessRules) -> APIProblem {
        rules.isStopped ? .kioskStopped : .unauthorized
    }

    /// The user who made the connection to the Unix socket, or `nil` if the system does not report the user.
    private static func user(of channel: any Channel) async -> UInt32? {
        guard let options = channel as? any SocketOptionProvider else { return nil }
        let peer: PeerCredentials? = try? await options.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
        return peer?.user
    }
}

/// The value of the socket option SO_PEERCRED (socket(7)), `struct ucred`.
private struct PeerCredentials: Sendable {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
}
