internal import Glibc

/// The file of a Unix socket.
enum SocketFile {
    /// Lets others than the daemon's own user connect, as far as `mode` says.
    static func open(_ path: String, mode: UInt32) {
        _ = unsafe chmod(path, mode_t(mode))
    }
}
