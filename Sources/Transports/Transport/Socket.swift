internal import Glibc
internal import SystemPackage

/// A TCP socket, closed when its owner releases it.
///
/// Each call maps to one system call, throws `.system` when it is refused, or `closed(by: .peer)`, and is safe from
/// SIGPIPE.
package struct Socket: ~Copyable, Sendable {
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = Glibc.close(descriptor)
    }

    /// Connects without blocking a thread; the socket then is non-blocking.
    ///
    /// - Throws: `connectionRefused`, `deadlinePassed(.connect)`, `cancelled`, `system`.
    package static func connected(
        to address: SocketAddress, within limit: Duration
    ) async throws(TransportError) -> Socket {
        let poller = try SocketPoller.shared
        let socket = try open(for: address)
        let deadline = ContinuousClock.now + limit
        do throws(TransportError) {
            try socket.connect(to: address)
        } catch .system(.nowInProgress) {
            try await poller.wait(for: .writable, on: socket.descriptor, until: deadline).orThrow(.connect)
            if let error = socket.pendingError() { throw .connectionRefused(error) }
        } catch .system(let error) {
            throw .connectionRefused(error)
        }
        return socket
    }

    /// A non-blocking socket that is not connected yet; small writes leave at once (TCP_NODELAY).
    static func open(for address: SocketAddress) throws(TransportError) -> Socket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Socket(descriptor: try check(Glibc.socket(address.socketFamily, type, 0)))
        try socket.prepare()
        return socket
    }

    /// From now on calls wait in the kernel, for a thread that has nothing else to do.
    package borrowing func makeBlocking() throws(TransportError) {
        _ = try Self.check(fcntl(descriptor, F_SETFL, 0))
    }

    private borrowing func connect(to address: SocketAddress) throws(TransportError) {
        let status = unsafe address.withSockAddr { unsafe Glibc.connect(descriptor, $0, $1) }
        _ = try Self.check(status)
    }

    borrowing func listen(on address: SocketAddress, backlog: Int32 = 16) throws(TransportError) {
        try setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        let status = unsafe address.withSockAddr { unsafe Glibc.bind(descriptor, $0, $1) }
        _ = try Self.check(status)
        _ = try Self.check(Glibc.listen(descriptor, backlog))
    }

    /// The next connection, non-blocking; throws `.system(.resourceTemporarilyUnavailable)` if none is waiting.
    borrowing func accept() throws(TransportError) -> Socket {
        let accepted = Socket(descriptor: try Self.check(Glibc.accept(descriptor, nil, nil)))
        try accepted.prepare()
        return accepted
    }

    /// The number of bytes taken from `bytes`.
    package borrowing func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) throws(TransportError)
        -> Int
    {
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        return try Self.check(unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    /// The number of bytes put into `buffer`; 0 when the peer has closed its direction.
    package borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        try Self.check(unsafe Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// Ends both directions: a call blocked in `receive` returns 0.
    package borrowing func shutdown() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Acknowledge the next segments at once. The kernel falls back by itself, so this is set before each receive.
    package borrowing func acknowledgeQuickly() throws(TransportError) {
        try setOption(Int32(IPPROTO_TCP), TCP_QUICKACK, 1)
    }

    /// The outcome of a connection that was in progress; nil if it is established.
    borrowing func pendingError() -> Errno? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return Errno(rawValue: errno)
        }
        return code == 0 ? nil : Errno(rawValue: code)
    }

    /// The local port, which the system chose when 0 was asked for.
    borrowing func localPort() throws(TransportError) -> UInt16 {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length)
            }
        }
        _ = try Self.check(status)
        // The port is at the same place in sockaddr_in and sockaddr_in6.
        return unsafe withUnsafeBytes(of: storage) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }

    private borrowing func setOption(_ level: Int32, _ name: Int32, _ value: Int32) throws(TransportError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = try Self.check(unsafe setsockopt(descriptor, level, name, &value, size))
    }

    private borrowing func prepare() throws(TransportError) {
        _ = try Self.check(fcntl(descriptor, F_SETFL, O_NONBLOCK))
        _ = try Self.check(fcntl(descriptor, F_SETFD, FD_CLOEXEC))
        try setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    private static func check<Value: SignedInteger>(_ value: Value) throws(TransportError) -> Value {
        if value >= 0 { return value }
        let error = Errno(rawValue: errno)
        throw error == .connectionReset || error == .brokenPipe ? .closed(by: .peer) : .system(error)
    }
}
