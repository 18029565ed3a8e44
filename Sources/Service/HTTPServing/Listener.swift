internal import Glibc
internal import JSON
internal import NIOCore

/// Where a request comes in, which says how its caller is known.
package enum Listener: Sendable {
    /// A Unix socket: the system says which user is at the other end.
    case socket
    /// TCP: a token says it. Browsers come here too, so the host and the origin are looked at.
    case tcp
}

/// Why a listener does not open, in one line: its member of the configuration, what is, and what to do.
package struct ListenerFault: Error, CustomStringConvertible {
    package let address: ListeningServer.Address
    /// The code of the system.
    package let code: Int32

    package var description: String {
        switch address {
        case .socket(let path, _):
            "socket: \(Terminal.safe(path)): \(condition); name a path in a folder that this user may write to"
        case .tcp(let host, let port): "http: \(host):\(port): \(condition); name a port that is free"
        }
    }

    private var condition: String {
        switch code {
        case EWOULDBLOCK, EADDRINUSE: "another program listens there"
        case ENOTSOCK: "the path exists and is not a socket"
        default: unsafe String(cString: strerror(code))
        }
    }
}

/// The file of a Unix socket, and the claim to it: two daemons would take each other's callers.
struct SocketFile: ~Copyable {
    private let lock: Int32

    /// Claims the path for as long as the value lives; throws what the system says.
    init(claiming path: String) throws(IOError) {
        lock = unsafe Glibc.open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw IOError(errnoCode: errno, reason: "the socket is claimed")
        }
    }

    deinit { close(lock) }

    /// Lets others than the daemon's own user connect, as far as `mode` says.
    static func open(_ path: String, mode: UInt32) {
        _ = unsafe chmod(path, mode_t(mode))
    }
}
