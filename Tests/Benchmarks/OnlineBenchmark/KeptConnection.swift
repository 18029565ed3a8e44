import Foundation
import Glibc
import OtherPrograms

/// One connection over which one request follows the other. It does as little as it can beside: it shares the processor
/// with whom it measures.
final class KeptConnection {
    struct Gone: Error {}

    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        var yes: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        guard PlainHTTP.Address.tcp(port: port).connect(descriptor) else { throw Gone() }
    }

    deinit { close(descriptor) }

    /// What `exchange` sends.
    static func request(_ path: String, _ body: String, token: String, port: UInt16) -> [UInt8] {
        let head = """
            POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        return Array((head + body).utf8)
    }

    /// The body of what comes back.
    func exchange(_ request: [UInt8]) throws -> ArraySlice<UInt8> {
        var rest = request[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Gone() }
            rest = rest.dropFirst(count)
        }
        var (count, body) = (0, 0..<Int.max)
        while count < body.upperBound {
            let more = unsafe buffer.withUnsafeMutableBytes { space in
                let free = unsafe UnsafeMutableRawBufferPointer(rebasing: space[count...])
                return unsafe recv(descriptor, free.baseAddress, free.count, 0)
            }
            guard more > 0 else { throw Gone() }
            count += more
            if body.upperBound == Int.max, let found = Self.body(after: buffer[..<count]) { body = found }
        }
        return buffer[body]
    }

    /// Where the body stands behind a head that is there as a whole.
    private static func body(after bytes: ArraySlice<UInt8>) -> Range<Int>? {
        var start = 0
        var length: Int?
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes[start..<end - 1]
            start = end + 1
            if line.isEmpty { return length.map { start..<start + $0 } }
            // "Content-Length: "
            if line.count > 16, line[line.startIndex] | 0x20 == UInt8(ascii: "c"),
                line[line.startIndex + 8] | 0x20 == UInt8(ascii: "l"),
                line[line.startIndex + 14] == UInt8(ascii: ":")
            {
                length = line.dropFirst(16).reduce(0) { $0 * 10 + Int($1) - 0x30 }
            }
        }
        return nil
    }
}
