// The types of sockets come from <sys/socket.h>, which the module of libbluetooth brings along.
internal import CBlueZ
internal import Glibc

/// Two ends of a way for packets, one of them for bluetoothd.
struct PacketSocketPair {
    let own: Int32
    let other: Int32

    /// Nil when the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // bluetoothd drops what does not fit (Q103).
        for end in ends {
            var size: Int32 = 1 << 20
            unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        (own, other) = (ends[0], ends[1])
    }
}
