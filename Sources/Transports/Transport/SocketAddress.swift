internal import Glibc

/// A numeric IPv4 or IPv6 address and a TCP port. Host names are not resolved, because a resolver may block
/// without limit.
package struct SocketAddress: Sendable, Equatable {
    /// The numeric address as it was given. `localhost` is replaced by 127.0.0.1.
    package let host: String
    package let port: UInt16
    private let family: Family

    private init(host: String, port: UInt16, family: Family) {
        self.host = host
        self.port = port
        self.family = family
    }

    func replacingPort(with port: UInt16) -> SocketAddress {
        SocketAddress(host: host, port: port, family: family)
    }

    private enum Family: Sendable { case ipv4, ipv6 }

    /// Parses a numeric address or `localhost`.
    ///
    /// - Parameter allowingNonLoopback: whether addresses other than loopback (127.0.0.0/8, ::1) are
    ///   accepted.
    /// - Throws: `addressNotNumeric`, `addressNotLoopback`.
    package init(
        host: String, port: UInt16, allowingNonLoopback: Bool = false
    ) throws(TransportError) {
        self.host = host == "localhost" ? "127.0.0.1" : host
        self.port = port
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        let isLoopback: Bool
        if unsafe inet_pton(AF_INET, self.host, &ipv4) == 1 {
            family = .ipv4
            isLoopback = UInt32(bigEndian: ipv4.s_addr) >> 24 == 127
        } else if unsafe inet_pton(AF_INET6, self.host, &ipv6) == 1 {
            family = .ipv6
            isLoopback = unsafe withUnsafeBytes(of: ipv6) { bytes in
                unsafe bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
            }
        } else {
            throw .addressNotNumeric
        }
        guard isLoopback || allowingNonLoopback else { throw .addressNotLoopback }
    }

    var socketFamily: Int32 { family == .ipv4 ? AF_INET : AF_INET6 }

    /// Calls `body` with the address in the form that `bind` and `connect` need.
    func withSockAddr<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        // `inet_pton` cannot fail here, because the initialiser has parsed the same text.
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe inet_pton(AF_INET, host, &address.sin_addr)
            return unsafe lend(&address, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
            return unsafe lend(&address, body)
        }
    }

    /// Calls `body` with an address of either family as a `sockaddr`.
    private func lend<Address, Value>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        let length = socklen_t(MemoryLayout<Address>.size)
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }
}
