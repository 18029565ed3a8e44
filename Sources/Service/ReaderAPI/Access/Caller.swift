internal import Glibc
internal import Hummingbird
internal import NIOCore

/// Finds out what a request's caller may do.
struct Caller: Sendable {
    let door: Door
    let rules: AccessBook

    /// - Throws: `unauthorized` where nobody is known.
    func scopes(of request: Request, _ context: APIContext) async throws(APIProblem) -> Set<Scope> {
        switch door {
        case .loopback: try tokenScopes(request)
        case .socket: try await userScopes(context.channel)
        }
    }

    private func tokenScopes(_ request: Request) throws(APIProblem) -> Set<Scope> {
        let credentials = request.headers[values: .authorization]
        guard credentials.count == 1, let credential = credentials.first,
            credential.lowercased().hasPrefix("bearer "), credential.utf8.count <= 1024,
            let scopes = rules.current.scopes(ofToken: String(credential.dropFirst("bearer ".count)))
        else { throw .unauthorized }
        return scopes
    }

    private func userScopes(_ channel: any Channel) async throws(APIProblem) -> Set<Scope> {
        guard let user = await Self.user(of: channel), let scopes = rules.current.users[user] else {
            throw .unauthorized
        }
        return scopes
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

/// What SO_PEERCRED tells (socket(7)): `struct ucred`.
private struct PeerCredentials: Sendable {
    var process: Int32 = 0
    var user: UInt32 = 0
    var group: UInt32 = 0
}
