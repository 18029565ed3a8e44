import Foundation
import Glibc

/// One connection over which one request follows the other.
final class KeptConnection {
    struct Gone: Error {}

    private let descriptor: Int32
    private let host: String

    init(port: UInt16) throws {
        host = "127.0.0.1:\(port)"
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        var yes: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, 4)
        let failed = unsafe withUnsafePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) != 0
            }
        }
        guard !failed else { throw Gone() }
    }

    deinit { close(descriptor) }

    /// The status and the body of what comes back.
    func post(_ path: String, _ body: String, token: String) throws -> (status: Int, body: String) {
        let head = """
            POST \(path) HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(token)\r\n\
            Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n
            """
        var rest = Array((head + body).utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Gone() }
            rest = rest.dropFirst(count)
        }
        return try answer()
    }

    private func answer() throws -> (status: Int, body: String) {
        var bytes: [UInt8] = []
        var due: Int?
        while due.map({ bytes.count < $0 }) ?? true {
            var more = [UInt8](repeating: 0, count: 1 << 14)
            let count = unsafe recv(descriptor, &more, more.count, 0)
            guard count > 0 else { throw Gone() }
            bytes += more.prefix(count)
            if due == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                guard let length = head.firstMatch(of: /content-length: *(\d+)/), let count = Int(length.1)
                else {
                    throw Gone()
                }
                due = end.upperBound + count
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let body = text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? ""
        return (Int(text.dropFirst(9).prefix(3)) ?? 0, body)
    }
}
