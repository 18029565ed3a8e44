internal import CBlueZ
internal import Glibc

/// A socket for LE credit-based channels (Core, Volume 3 Part A 4.22), bound to an adapter and never blocking.
///
/// The lowest security is asked for, and nobody is asked to pair (Q95). Bound without the adapter's address the kernel
/// would take it for a channel of classic Bluetooth (Q107).
struct L2CAPSocket: ~Copyable {
    /// Most bytes of a service data unit that is received.
    static let receiveLimit = 2048
    /// The dynamic PSMs, which need no privilege (Q107).
    static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xff

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = Glibc.close(descriptor)
    }

    /// A socket at that adapter, with the PSM for listening or 0; nil when the system has none, or the PSM is in use.
    static func bound(to adapter: L2CAPAddress, psm: UInt16 = 0) -> L2CAPSocket? {
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_BLUETOOTH, type, BTPROTO_L2CAP)
        guard descriptor >= 0 else { return nil }
        let socket = L2CAPSocket(descriptor)
        var security = bt_security(level: UInt8(BT_SECURITY_LOW), key_size: 0)
        var limit = UInt16(receiveLimit)
        let bound = unsafe adapter.withSocketAddress(psm: psm) { unsafe Glibc.bind(descriptor, $0, $1) }
        guard bound == 0,
            unsafe setsockopt(
                descriptor, SOL_BLUETOOTH, BT_SECURITY, &security, socklen_t(MemoryLayout<bt_security>.size))
                == 0,
            unsafe setsockopt(descriptor, SOL_BLUETOOTH, BT_RCVMTU, &limit, 2) == 0
        else { return nil }
        return socket
    }

    /// Begins to connect; how it ends is known when the socket becomes writable.
    ///
    /// - Returns: zero, or what failed already.
    func beginConnecting(to peer: L2CAPAddress, psm: UInt16) -> Int32 {
        let status = unsafe peer.withSocketAddress(psm: psm) { unsafe Glibc.connect(descriptor, $0, $1) }
        return status == 0 || errno == EINPROGRESS || errno == EAGAIN ? 0 : errno
    }

    /// What became of connecting: zero, or what it failed of.
    var connectError: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        return error
    }

    func listen() -> Bool { Glibc.listen(descriptor, 1) == 0 }

    /// The channel of whoever came; nil when nobody did.
    func accept() -> L2CAPSocket? {
        let channel = Glibc.accept(descriptor, nil, nil)
        return channel >= 0 ? L2CAPSocket(channel) : nil
    }

    /// The address of the other side, in capital letters as bluetoothd writes it.
    var peerAddress: String? {
        var address = sockaddr_l2()
        var length = socklen_t(MemoryLayout<sockaddr_l2>.size)
        let status = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getpeername(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped,
                &length)
        }
        guard status == 0 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 18) { text in
            unsafe ba2str(&address.l2_bdaddr, text.baseAddress)
            return unsafe String(cString: text.baseAddress.unsafelyUnwrapped)
        }
    }

    /// Most bytes of a service data unit that the peer takes.
    var sendLimit: Int {
        var limit: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        guard unsafe getsockopt(descriptor, SOL_BLUETOOTH, BT_SNDMTU, &limit, &length) == 0 else { return 23 }
        return Int(limit)
    }

    /// Lends the descriptor, for waiting.
    func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value { body(descriptor) }

    /// Hands the descriptor over.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
