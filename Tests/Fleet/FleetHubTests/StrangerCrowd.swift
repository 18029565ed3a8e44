import Foundation
import Glibc
import Synchronization

/// TCP connections without a client certificate, as many as a test wants, until `end` or a deadline.
///
/// A connection that the hub closes is opened again only while `reopen` allows it. The number of new
/// connections during one handshake of a kiosk is therefore the same on a fast and on a slow machine.
final class StrangerCrowd: Sendable {
    /// What each of them does.
    enum Habit: Sendable, CaseIterable {
        /// Says nothing.
        case idle
        /// Begins a TLS handshake, and sends one byte of it from time to time.
        case slowHandshake
        /// Says what no TLS server understands.
        case noise
    }

    private let port: UInt16
    private let count: Int
    private let habit: Habit
    private let isEnding = Atomic(false)
    private let opened = Atomic(0)
    private let closed = Atomic(0)
    /// How many connections may still be opened again.
    private let allowed = Atomic(0)

    init(_ count: Int, _ habit: Habit, at port: Int, within seconds: Int = 900) {
        self.port = UInt16(port)
        self.count = count
        self.habit = habit
        Thread { [self] in run(until: time(nil) + seconds) }.start()
    }

    /// How many connections were opened so far.
    var openedCount: Int { opened.load(ordering: .relaxed) }

    /// How many the hub has closed so far.
    var closedCount: Int { closed.load(ordering: .relaxed) }

    /// Lets the crowd open `connections` again, in steps of ten, as soon as the hub has closed as many.
    func reopen(_ connections: Int) { allowed.store(connections, ordering: .relaxed) }

    func end() { isEnding.store(true, ordering: .relaxed) }

    /// Lets this process have files for both ends of so many connections.
    static func makeRoom(for count: Int) -> Bool {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(resource, &limit) == 0 else { return false }
        limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(2 * count + 2048), limit.rlim_max))
        return unsafe setrlimit(resource, &limit) == 0 && limit.rlim_cur >= rlim_t(2 * count + 1024)
    }

    /// The number of rounds, of 20 ms each, between two bytes of a slow handshake. With a byte in each round, 600
    /// strangers would keep a slow machine busy with nothing but their bytes.
    private static let roundsPerByte = 50

    private func run(until deadline: time_t) {
        var open: [Int32] = []
        var round = 0
        defer { for descriptor in open { close(descriptor) } }
        while !isEnding.load(ordering: .relaxed), time(nil) < deadline {
            let isFirst = openedCount < count
            // `reopen` may lower the number while this loop still counts down, so it can be negative.
            let mostNow = isFirst ? count : max(0, min(10, allowed.load(ordering: .relaxed)))
            for _ in 0..<mostNow where open.count < count {
                guard let descriptor = connected() else { break }
                open.append(descriptor)
                if !isFirst { allowed.subtract(1, ordering: .relaxed) }
                opened.add(1, ordering: .relaxed)
            }
            round += 1
            open = stillOpen(open, sendsByte: habit == .slowHandshake && round % Self.roundsPerByte == 0)
            usleep(20_000)
        }
    }

    /// Sends a byte on each connection if `sendsByte`, and closes those that the hub has closed.
    private func stillOpen(_ all: [Int32], sendsByte: Bool) -> [Int32] {
        var polled = all.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&polled, nfds_t(polled.count), 0)
        return polled.filter { one in
            if sendsByte { send(one.fd, [0]) }
            guard one.revents != 0 else { return true }
            var bytes = [UInt8](repeating: 0, count: 1024)
            guard unsafe recv(one.fd, &bytes, bytes.count, Int32(MSG_DONTWAIT)) <= 0 else { return true }
            close(one.fd)
            closed.add(1, ordering: .relaxed)
            return false
        }.map(\.fd)
    }

    private func connected() -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        switch habit {
        case .idle: break
        // The header of a record with 16,384 bytes, and the beginning of a ClientHello. At one byte a
        // second the record is complete after more than four hours.
        case .slowHandshake: send(descriptor, [0x16, 3, 1, 0x40, 0, 1, 0, 0x3f, 0xfc, 3, 3])
        case .noise: send(descriptor, Array("GET / HTTP/1.1\r\n".utf8))
        }
        return descriptor
    }

    private func send(_ descriptor: Int32, _ bytes: [UInt8]) {
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
}
