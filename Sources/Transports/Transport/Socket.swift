internal import Glibc
internal import SystemPackage

/// A TCP socket that is closed when its owner releases it.
///
/// No method raises SIGPIPE. An error of a system call becomes `closed(by: .peer)` if the peer has reset or
/// closed the connection, and `.system` otherwise.
package struct Socket: ~Copyable, Sendable {
    let descriptor: Int32

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = Glibc.close(descriptor)
    }

    /// Connects without blocking a thread. The socket that is returned is non-blocking.
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

    /// Returns a non-blocking socket that is not connected yet. Small writes are sent without delay
    /// (TCP_NODELAY).
    static func open(for address: SocketAddress) throws(TransportError) -> Socket {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Socket(descriptor: try check(Glibc.socket(address.socketFamily, type, 0)))
        try socket.prepare()
        return socket
    }

    /// Makes calls block in the kernel, for a socket that has its own thread.
    package borrowing func makeBlocking() throws(TransportError) {
        _ = try Self.check(fcntl(descriptor, F_SETFL, 0))
    }

    private borrowing func connect(to address: SocketAddress) throws(TransportError) {
        let status = unsafe address.withSockAddr { unsafe Glibc.connect(descriptor, $0, $1) }
        _ = try Self.check(status)
    }

    /// Binds the socket to an address and listens.
    borrowing func listen(on address: SocketAddress, backlog: Int32 = 16) throws(TransportError) {
        // Without this option a restarted listener could not use its port until old connections time out.
        try setOption(SOL_SOCKET, SO_REUSEADDR, 1)
        let status = unsafe address.withSockAddr { unsafe Glibc.bind(descriptor, $0, $1) }
        _ = try Self.check(status)
        _ = try Self.check(Glibc.listen(descriptor, backlog))
    }

    /// Returns the next connection as a non-blocking socket.
    ///
    /// - Throws: `.system(.resourceTemporarilyUnavailable)` if no connection is waiting.
    borrowing func accept() throws(TransportError) -> Socket {
        let accepted = Socket(descriptor: try Self.check(Glibc.accept(descriptor, nil, nil)))
        try accepted.prepare()
        return accepted
    }

    /// Sends bytes and returns the number that the system accepted.
    ///
    /// - Parameter more: whether the rest of a message follows, so that the system may wait for it
    ///   (MSG_MORE).
    package borrowing func send(_ bytes: UnsafeRawBufferPointer, more: Bool = false) throws(TransportError)
        -> Int
    {
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        return try Self.check(unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    /// Reads into `buffer` and returns the number of bytes; 0 if the peer sends nothing more.
    package borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        try Self.check(unsafe Glibc.recv(descriptor, buffer.baseAddress, buffer.count, 0))
    }

    /// Ends both directions. A `receive` that blocks on another thread returns 0.
    package borrowing func shutdown() {
        _ = Glibc.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Acknowledges the next segments without delay (TCP_QUICKACK). The kernel resets this option, so callers
    /// set it before each receive.
    package borrowing func acknowledgeQuickly() throws(TransportError) {
        try setOption(Int32(IPPROTO_TCP), TCP_QUICKACK, 1)
    }

    /// Returns the error of a connection that was in progress; `nil` if the connection is established.
    borrowing func pendingError() -> Errno? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return Errno(rawValue: errno)
        }
        return code == 0 ? nil : Errno(rawValue: code)
    }

    /// Returns the local port. The system has chosen the port if port 0 was requested.
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

    /// Makes the socket non-blocking and close-on-exec, and sends small writes without delay.
    private borrowing func prepare() throws(TransportError) {
        _ = try Self.check(fcntl(descriptor, F_SETFL, O_NONBLOCK))
        _ = try Self.check(fcntl(descriptor, F_SETFD, FD_CLOEXEC))
        try setOption(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Returns the result of a system call, or throws the error in `errno` if the result is negative.
    private static func check<Value: SignedInteger>(_ value: Value) throws(TransportError) -> Value {
        if value >= 0 { return value }
        let error = Errno(rawValue: errno)
        throw error == .connectionReset || error == .brokenPipe ? .closed(by: .peer) : .system(error)
    }
}
