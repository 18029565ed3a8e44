internal import CBlueZ
internal import Glibc

/// A non-blocking socket for LE credit-based channels (Bluetooth Core, Volume 3 Part A 4.22), bound to an
/// adapter.
///
/// The socket requests the lowest security level, so that the phone does not ask to pair (Q95). Without the
/// adapter's address the kernel would treat the socket as a channel of classic Bluetooth (Q107).
struct L2CAPSocket: ~Copyable {
    /// The maximum number of bytes of a service data unit that is received.
    static let receiveLimit = 2048
    /// The dynamic PSMs, on which every user may listen (Q107).
    static let dynamicPSMs: ClosedRange<UInt16> = 0x80...0xff

    private let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = Glibc.close(descriptor)
    }

    /// Creates a socket that is bound to an adapter; `nil` if the system cannot provide a socket or the PSM
    /// is in use.
    ///
    /// - Parameter psm: the PSM for listening; 0 for a socket that connects.
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

    /// Starts to connect. The result is known when the socket becomes writable.
    ///
    /// - Returns: zero, or the error number of an immediate failure.
    func beginConnecting(to peer: L2CAPAddress, psm: UInt16) -> Int32 {
        let status = unsafe peer.withSocketAddress(psm: psm) { unsafe Glibc.connect(descriptor, $0, $1) }
        return status == 0 || errno == EINPROGRESS || errno == EAGAIN ? 0 : errno
    }

    /// The result of connecting: zero, or the error number.
    var connectError: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else { return errno }
        return error
    }

    func listen() -> Bool { Glibc.listen(descriptor, 1) == 0 }

    /// Returns the next channel; `nil` if no channel is waiting.
    func accept() -> L2CAPSocket? {
        let channel = Glibc.accept(descriptor, nil, nil)
        return channel >= 0 ? L2CAPSocket(channel) : nil
    }

    /// The address of the peer in capital letters, as bluetoothd writes it.
    var peerAddress: String? {
        var address = sockaddr_l2()
        var length = socklen_t(MemoryLayout<sockaddr_l2>.size)
        let status = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getpeername(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress.unsafelyUnwrapped,
                &length)
        }
        guard status == 0 else { return nil }
        // The text has 17 characters and a zero byte.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 18) { text in
            unsafe ba2str(&address.l2_bdaddr, text.baseAddress)
            return unsafe String(cString: text.baseAddress.unsafelyUnwrapped)
        }
    }

    /// The maximum number of bytes of a service data unit that the peer accepts.
    var sendLimit: Int {
        var limit: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        // Every peer accepts 23 bytes, the minimum of LE credit-based channels.
        guard unsafe getsockopt(descriptor, SOL_BLUETOOTH, BT_SNDMTU, &limit, &length) == 0 else { return 23 }
        return Int(limit)
    }

    /// Calls `body` with the descriptor, which `body` may use to wait for the socket.
    func withDescriptor<Value>(_ body: (Int32) -> Value) -> Value { body(descriptor) }

    /// Returns the descriptor and gives up its ownership. The caller must close the descriptor.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
