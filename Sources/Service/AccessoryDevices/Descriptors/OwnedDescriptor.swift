internal import Glibc

/// An open descriptor, which is closed when this value is released.
struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number of the descriptor, valid as long as this value exists.
    let raw: Int32

    /// Takes ownership of an open descriptor.
    init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        _ = close(raw)
    }

    /// Opens a character device without blocking, for this process only (O_NONBLOCK, O_CLOEXEC).
    ///
    /// - Parameter flags: `O_RDWR` or `O_RDONLY`, and further flags of open(2).
    /// - Throws: `misconfigured` if the path names something else than a character device.
    static func device(_ path: String, _ flags: Int32) throws(DeviceFault) -> OwnedDescriptor {
        // C would read a path with NUL only up to the NUL, and open another file.
        guard !path.utf8.contains(0) else {
            throw .misconfigured("the path of the device has a NUL character")
        }
        var raw: Int32
        repeat {
            raw = unsafe open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        } while raw < 0 && errno == EINTR
        guard raw >= 0 else { throw openingFault(errno) }
        let opened = OwnedDescriptor(owning: raw)
        var facts = stat()
        guard unsafe fstat(raw, &facts) == 0 else { throw DeviceFault(errno: errno) }
        guard facts.st_mode & S_IFMT == S_IFCHR else { throw noDevice }
        return opened
    }

    private static let noDevice = DeviceFault.misconfigured(
        "the path does not name a device; give the path of a device below /dev")

    private static func openingFault(_ code: Int32) -> DeviceFault {
        code == EISDIR || code == ENOTDIR || code == ELOOP ? noDevice : DeviceFault(errno: code)
    }

    /// A result of one read.
    enum Reading {
        case bytes([UInt8])
        /// No byte has arrived yet.
        case nothing
        /// The other side has ended the connection.
        case end
    }

    /// Reads the bytes that have arrived, at most `count`.
    func read(upTo count: Int) throws(DeviceFault) -> Reading {
        var found = 0
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe found = Glibc.read(raw, buffer.baseAddress, count)
            code = errno
            filled = max(found, 0)
        }
        if found > 0 { return .bytes(bytes) }
        if found == 0 { return .end }
        guard code == EAGAIN || code == EINTR else { throw DeviceFault(errno: code) }
        return .nothing
    }

    /// Writes all bytes, and waits for room if necessary.
    ///
    /// - Parameters:
    ///   - limit: the time for the whole call.
    ///   - isSocket: whether the descriptor is a socket.
    /// - Throws: `notAnswering` if the system has not accepted all bytes in time. A part of them may then
    ///   have been sent.
    func write(_ bytes: [UInt8], within limit: Duration, isSocket: Bool = false) throws(DeviceFault) {
        let end = MonotonicNow.sinceBoot + limit
        var rest = bytes[...]
        while !rest.isEmpty {
            var code: Int32 = 0
            let count = unsafe rest.withUnsafeBytes { bytes in
                // Without MSG_NOSIGNAL, SIGPIPE would end this program if the other side has closed a
                // connection.
                let count =
                    unsafe isSocket
                    ? send(raw, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                    : Glibc.write(raw, bytes.baseAddress, bytes.count)
                code = errno
                return count
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count == 0 || code == EAGAIN || code == EINTR else { throw DeviceFault(errno: code) }
            guard try wait(for: POLLOUT, until: end) else { throw .notAnswering }
        }
    }

    /// Waits until the descriptor is ready, has an error or was closed by the other side. The next call on
    /// the descriptor then tells which.
    ///
    /// - Parameters:
    ///   - events: `POLLIN` or `POLLOUT`.
    ///   - end: the time by `MonotonicNow` at which the wait ends.
    /// - Returns: `false` if the time has passed.
    func wait(for events: Int32, until end: Duration) throws(DeviceFault) -> Bool {
        while true {
            let left = end - MonotonicNow.sinceBoot
            guard left > .zero else { return false }
            var entry = pollfd(fd: raw, events: Int16(events), revents: 0)
            let count = unsafe poll(&entry, 1, WaitSet.milliseconds(left))
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { throw DeviceFault(errno: errno) }
        }
    }
}
