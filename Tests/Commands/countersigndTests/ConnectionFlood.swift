import Glibc
import OtherPrograms

/// As many connections at once as somebody wants who means harm, each with a request that never ends.
final class ConnectionFlood: @unchecked Sendable {  // one thread at a time
    private var open: [Int32: String] = [:]
    /// What came back before the daemon closed, or nothing, for each connection that is closed.
    private(set) var answers: [String] = []
    /// Connections that could not be made.
    private(set) var failures = 0

    var openCount: Int { open.count }

    deinit { close() }

    func close() {
        for descriptor in open.keys { Glibc.close(descriptor) }
        open = [:]
    }

    /// Lets this process have so many files open.
    static func makeRoom(for count: Int) -> Bool {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(count + 512), limit.rlim_max))
        return unsafe setrlimit(resource, &limit) == 0 && limit.rlim_cur >= rlim_t(count + 256)
    }

    /// Makes the connections, closes none of them, and hears until all but `held` were closed. `timeout` ends a hang.
    ///
    /// - Returns: how many seconds that took, rounded up.
    func run(_ count: Int, to port: UInt16, holding held: Int, timeout: Int) async throws -> Int {
        try await offThisThread { [self] in
            let start = time(nil)
            for _ in 0..<count {
                if let descriptor = Self.connected(to: port) { open[descriptor] = "" } else { failures += 1 }
            }
            while open.count > held, time(nil) < start + timeout { hear() }
            return time(nil) - start + 1
        }
    }

    private func hear() {
        var polled = open.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&polled, nfds_t(polled.count), 200) > 0 else { return }
        for descriptor in polled.filter({ $0.revents != 0 }).map(\.fd) {
            var bytes = [UInt8](repeating: 0, count: 2048)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                open[descriptor]?.append(String(decoding: bytes.prefix(count), as: UTF8.self))
            } else if let answer = open.removeValue(forKey: descriptor) {
                answers.append(answer)
                Glibc.close(descriptor)
            }
        }
    }

    private static func connected(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard PlainHTTP.Address.tcp(port: port).connect(descriptor) else {
            Glibc.close(descriptor)
            return nil
        }
        let text = Array("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nX: ".utf8)
        _ = unsafe send(descriptor, text, text.count, Int32(MSG_NOSIGNAL))
        return descriptor
    }
}
