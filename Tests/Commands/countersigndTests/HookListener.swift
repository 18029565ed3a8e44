import Deadlines
import Foundation
import Glibc
import OtherPrograms
import Synchronization

/// Takes webhooks on this computer, and answers each with the next of its statuses.
final class HookListener: Sendable {
    struct Call: Sendable {
        let headers: [String: String]
        let body: [UInt8]
    }

    let port: UInt16
    private let descriptor: Int32
    private let calls = Mutex<[Call]>([])

    /// - Parameter port: nil for one that is free.
    init(answering statuses: [Int], at port: UInt16? = nil) throws {
        self.port = try port ?? ReaderDaemon.freePort()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard PlainHTTP.Address.tcp(port: self.port).bind(descriptor), listen(descriptor, 8) == 0 else {
            throw PlainHTTP.Failure(description: "no hook")
        }
        Thread { [self] in for status in statuses { take(status) } }.start()
    }

    deinit { close(descriptor) }

    private func take(_ status: Int) {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        defer { close(connection) }
        var bytes: [UInt8] = []
        while true {
            if let reply = try? PlainHTTP.Reply(bytes),
                reply.body.count >= Int(reply.headers["content-length"] ?? "0") ?? 0
            {
                calls.withLock { $0.append(Call(headers: reply.headers, body: reply.body)) }
                break
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return }
            bytes += piece.prefix(count)
        }
        let answer = Array("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = unsafe Glibc.send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    }

    /// The calls, once there are so many.
    func taken(_ count: Int) async throws -> [Call] {
        try await awaited("\(count) webhooks", within: .seconds(300)) {
            let calls = self.calls.withLock { $0 }
            return calls.count >= count ? calls : nil
        }
    }
}
