internal import CProcess
internal import Glibc

/// What keeps the memory of the daemon, with portraits and keys in it, from others.
enum ProcessMemory {
    /// No core dump, no debugger of the same user, and nothing that the daemon makes is another's to read.
    static func keepPrivate() {
        _ = countersign_hide_memory()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        umask(0o077)
    }
}
