internal import Glibc
internal import NIOCore

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
