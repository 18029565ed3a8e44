internal import Glibc
internal import JSON
internal import NIOCore

/// The kind of socket on which a request arrives, which determines how the caller is recognised.
package enum Listener: Sendable {
    /// A Unix socket: the system reports the user id of the caller.
    case socket
    /// TCP: the caller sends a token or a cookie. Browsers can connect too. The headers Host and Origin are
    /// therefore checked.
    case tcp
}

/// The reason why a listener cannot be opened, as one line for the operator: the configuration member, the
/// fault and what to do.
package struct ListenerFault: Error, CustomStringConvertible {
    package let address: ListeningServer.Address
    /// The system's error number.
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

/// The exclusive claim to the path of a Unix socket, by a lock file beside it. Without the claim two daemons
/// could replace each other's socket.
struct SocketFile: ~Copyable {
    private let lock: Int32

    /// Claims the path until this value is destroyed.
    ///
    /// - Throws: the system's error, `EWOULDBLOCK` if another process has the claim.
    init(claiming path: String) throws(IOError) {
        lock = unsafe Glibc.open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw IOError(errnoCode: errno, reason: "the socket is claimed")
        }
    }

    deinit { close(lock) }

    /// Sets the permissions of the socket, so that other users can connect.
    static func open(_ path: String, mode: UInt32) {
        // If this fails, the socket keeps the permissions with which it was created.
        _ = unsafe chmod(path, mode_t(mode))
    }
}
