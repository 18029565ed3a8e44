internal import Glibc
internal import JSON

/// Why a listener does not open, in one line: its member of the configuration, what is, and what to do.
struct ListenerFault: Error, CustomStringConvertible {
    let address: ReaderServer.Address
    /// The code of the system.
    let code: Int32

    var description: String {
        switch address {
        case .socket(let path, _):
            "socket: \(Terminal.safe(path)): \(condition); name a path in a folder that this user may write to"
        case .loopback(let host, let port): "http: \(host):\(port): \(condition); name a port that is free"
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
