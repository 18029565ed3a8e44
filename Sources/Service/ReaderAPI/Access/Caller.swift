internal import PresentationService
internal import Glibc
internal import HTTPServing
internal import Hummingbird
internal import NIOCore
internal import ReaderService

/// Identifies a request's caller.
struct Caller: Sendable {
    let listener: Listener
    let rules: AccessBook
    let pages: PageSessions

    /// - Throws: `unauthorized` where nobody is known; `kioskStopped` where that is since this kiosk is stopped.
    func known(by request: Request, _ context: APIContext) async throws(APIProblem) -> KnownCaller {
        let caller =
            switch listener {
            case .tcp: try holder(of: request)
            case .socket: try await user(at: context.channel)
            }
        rules.note(caller, at: WallClock.system.now)
        return caller
    }

    private func holder(of request: Request) throws(APIProblem) -> KnownCaller {
        let rules = rules.current
        let credentials = request.headers[values: .authorization]
        if credentials.isEmpty, let page = pages.caller(of: request, under: rules) { return page }
        guard credentials.count == 1, let credential = credentials.first, credential.utf8.count <= 1024,
            let token = credential.bearerToken.flatMap(rules.known(byToken:))
        else { throw refusal(under: rules) }
        return token.caller
    }

    private func user(at channel: any Channel) async throws(APIProblem) -> KnownCaller {
        let user = await Self.user(of: channel)
        let rules = rules.current
        guard let user, let caller = rules.caller(ofUser: user) else { throw refusal(under: rules) }
        return caller
    }

    /// A till has to know that its token is right and nobody may order here.
    private func refusal(under rules: AccessRules) -> APIProblem {
        rules.isStopped ? .kioskStopped : .unauthorized
    }

    /// The user at the other end of a Unix socket, as the system had it when the connection was made.
    private static func user(of channel: any Channel) async -> UInt32? {
        guard let options = channel as? any SocketOptionProvider else { return nil }
        let peer: PeerCredentials? = try? await options.unsafeGetSocketOption(
            level: NIOBSDSocket.OptionLevel(rawValue: SOL_SOCKET),
            name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
        ).get()
        return peer?.user
    }
}

/// What SO_PEERCRED returns (socket(7)): `struct ucred`.
private struct PeerCredentials: Sendable {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
}
