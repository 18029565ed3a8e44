internal import Glibc

/// A TCP connection to a device in the network, such as a Modbus module.
///
/// The calls are for one thread. `init` waits until the connection is there, and for the resolver before
/// that.
package struct StreamLine: ~Copyable, Sendable {
    /// The time in which the system must accept the bytes of one `write`.
    private static let writeLimit = Duration.seconds(1)

    private let socket: OwnedDescriptor

    /// Connects to a host.
    ///
    /// The limit does not include the resolver, whose own time is set in resolv.conf (30 s is possible). A
    /// numeric address needs no resolver.
    ///
    /// - Parameters:
    ///   - host: a name, or a numeric IPv4 or IPv6 address.
    ///   - limit: the time for the connection, shared by all addresses of the host.
    /// - Throws: `absent` if no address accepts the connection; `notAnswering` if none answers in time;
    ///   `misconfigured` if the name does not exist.
    package init(host: String, port: UInt16, within limit: Duration = .seconds(3)) throws(DeviceFault) {
        let addresses = try HostAddress.all(of: host, port: port)
        let end = MonotonicNow.sinceBoot + limit
        var fault = DeviceFault.absent
        for (index, address) in addresses.enumerated() {
            // An address that does not answer leaves a share of the time for each address after it.
            let now = MonotonicNow.sinceBoot
            let share = max(.zero, end - now) / (addresses.count - index)
            do throws(DeviceFault) {
                socket = try Self.connect(to: address, until: now + share)
                return
            } catch {
                fault = error
            }
        }
        throw fault
    }

    /// The descriptor for a `WaitSet`, valid as long as this value exists.
    package var descriptor: Int32 { socket.raw }

    /// Reads the bytes that have arrived.
    ///
    /// - Returns: at most `count` bytes; none if nothing has arrived yet.
    /// - Throws: `absent` if the other side has closed the connection.
    package func read(upTo count: Int = 4096) throws(DeviceFault) -> [UInt8] {
        do throws(DeviceFault) {
            switch try socket.read(upTo: count) {
            case .bytes(let bytes): return bytes
            case .nothing: return []
            case .end: throw DeviceFault.absent
            }
        } catch { throw Self.ofConnection(error) }
    }

    /// Writes all bytes, and waits at most 1 s for room.
    ///
    /// - Throws: `notAnswering` if not all bytes were accepted in time; `absent` if the other side has closed
    ///   the connection.
    package func write(_ bytes: [UInt8]) throws(DeviceFault) {
        do throws(DeviceFault) {
            try socket.write(bytes, within: Self.writeLimit, isSocket: true)
        } catch { throw Self.ofConnection(error) }
    }

    private static func ofConnection(_ fault: DeviceFault) -> DeviceFault {
        switch fault {
        case .failed(errno: EPIPE), .failed(errno: ECONNRESET), .failed(errno: ECONNABORTED): .absent
        default: fault
        }
    }

    private static func connect(to address: HostAddress, until end: Duration) throws(DeviceFault)
        -> OwnedDescriptor
    {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let raw = Glibc.socket(address.family, kind, 0)
        guard raw >= 0 else { throw DeviceFault(errno: errno) }
        let socket = OwnedDescriptor(owning: raw)
        var on: Int32 = 1
        // Requests are small and each waits for its answer. Delaying them to collect more bytes would only
        // cost time.
        _ = unsafe setsockopt(raw, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if address.connect(raw) { return socket }
        guard errno == EINPROGRESS else { throw ofConnection(DeviceFault(errno: errno)) }
        guard try socket.wait(for: POLLOUT, until: end) else { throw .notAnswering }
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(raw, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else {
            throw DeviceFault(errno: errno)
        }
        guard code == 0 else { throw ofConnection(DeviceFault(errno: code)) }
        return socket
    }
}
