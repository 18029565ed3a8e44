internal import Glibc
internal import Logging

/// A sender of the datagrams of sd_notify(3), which tell systemd the state of the daemon. Sends nothing if
/// systemd did not start the daemon. A datagram that cannot be sent is dropped.
struct SystemdNotice: Sendable {
    private let path: String?

    init(environment: [String: String]) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    }

    func ready() { send("READY=1\nSTATUS=Accepting requests.") }

    func ending() { send("STOPPING=1\nSTATUS=Ending presentations.") }

    /// Announces a reload, which `ready()` ends. systemd requires the monotonic time in the message.
    func reloading() {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        send("RELOADING=1\nMONOTONIC_USEC=\(now.tv_sec * 1_000_000 + now.tv_nsec / 1000)")
    }

    private func send(_ text: String) {
        guard let path, var address = Self.address(path) else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // The length includes only the bytes of the name, because further bytes would become part of an
        // abstract address (unix(7)).
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
        let bytes = Array(text.utf8)
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, length)
            }
        }
    }

    /// Returns the address of a socket by its path, or by an abstract name after `@`.
    private static func address(_ path: String) -> sockaddr_un? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        // `sun_path` has 108 bytes, with the zero at its end.
        guard name.count < 108, name.first == UInt8(ascii: "/") || name.first == UInt8(ascii: "@") else {
            return nil
        }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return address
    }
}

/// A counter of the listeners that do not accept requests yet. When all accept requests, it notifies systemd
/// and the log.
actor Readiness {
    private var waitingFor: Int
    private let systemd: SystemdNotice
    private let log: Logger

    init(listeners: Int, systemd: SystemdNotice, log: Logger) {
        waitingFor = listeners
        self.systemd = systemd
        self.log = log
    }

    /// Counts one more listener that accepts requests.
    func opened() {
        waitingFor -= 1
        guard waitingFor == 0 else { return }
        systemd.ready()
        log.notice("ready")
        // About half of the program's code was needed only for the start, which is over now.
        ProcessMemory.releaseText()
    }
}
