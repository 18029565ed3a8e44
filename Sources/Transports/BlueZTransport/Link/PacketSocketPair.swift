// The socket types are from <sys/socket.h>, which the module of libbluetooth includes.
internal import CBlueZ
internal import Glibc

/// A connected pair of packet sockets. bluetoothd gets `other`.
struct PacketSocketPair {
    let own: Int32
    let other: Int32

    /// Creates a pair; `nil` if the process has no descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        // The buffers are large because bluetoothd drops a packet that does not fit (Q103).
        for end in ends {
            var size: Int32 = 1 << 20
            unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        (own, other) = (ends[0], ends[1])
    }
}
