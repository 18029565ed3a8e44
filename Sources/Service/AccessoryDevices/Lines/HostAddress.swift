internal import Glibc

/// An address of a host, as the resolver gives it.
struct HostAddress {
    /// The most addresses of one host that are tried.
    private static let most = 8

    /// `AF_INET` or `AF_INET6`.
    let family: Int32
    /// The bytes of the `sockaddr`.
    private let bytes: [UInt8]

    /// Returns the addresses of a host, at least one. Waits for the resolver.
    ///
    /// - Throws: `misconfigured` if the name does not exist; `absent` if the resolver cannot be reached.
    static func all(of host: String, port: UInt16) throws(DeviceFault) -> [HostAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard result == 0 else { throw fault(ofResolver: result) }
        defer { unsafe freeaddrinfo(list) }
        var found: [HostAddress] = []
        var next = unsafe list
        while let entry = unsafe next, found.count < most {
            unsafe next = entry.pointee.ai_next
            guard let address = unsafe entry.pointee.ai_addr else { continue }
            let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
            unsafe found.append(HostAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
        }
        guard !found.isEmpty else { throw .absent }
        return found
    }

    private static func fault(ofResolver result: Int32) -> DeviceFault {
        switch result {
        case EAI_NONAME: .misconfigured("the name of the host does not exist")
        case EAI_SYSTEM: DeviceFault(errno: errno)
        default: .absent
        }
    }

    /// Begins to connect a socket. Returns `true` if the socket is connected; otherwise `errno` has the
    /// reason, which is EINPROGRESS for a connection in progress.
    func connect(_ socket: Int32) -> Bool {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let address = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress else {
                errno = EINVAL
                return false
            }
            return unsafe Glibc.connect(socket, address, socklen_t(bytes.count)) == 0
        }
    }
}
