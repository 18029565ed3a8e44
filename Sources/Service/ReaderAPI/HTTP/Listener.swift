/// Where a request comes in, which says how its caller is known.
enum Listener: Sendable {
    /// A Unix socket: the system says which user is at the other end.
    case socket
    /// TCP on this computer: a token says it. Browsers come here too, so the host and the origin are looked at.
    case loopback
}
