import Foundation
import Testing

/// A server on this computer that never sends a byte.
final class SilentServer {
    let port: Int32
    private var descriptors: [Int32] = []

    /// - Parameter isFull: Whether the system accepts no further connection for the server.
    init(isFull: Bool) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        descriptors.append(listener)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, size) == 0 && getsockname(listener, pointer, &size) == 0
            }
        }
        try #require(isBound)
        try #require(listen(listener, isFull ? 0 : 16) == 0)
        port = Int32(UInt16(bigEndian: address.sin_port))
        // The system accepts one connection, and two wait for it. It drops the SYN of the next one.
        for _ in 0..<(isFull ? 3 : 0) {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            descriptors.append(client)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = unsafe connect(client, pointer, size)
                }
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
