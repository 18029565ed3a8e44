import Foundation
import Glibc
import Logging
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import ReaderService
import Synchronization
import Testing

@testable import ReaderAPI
@testable import ReaderStore

@Suite("Webhooks beside a receiver that does not answer")
struct WebhookQueueTests {
    private static let count = 300
    private static let now = Timestamp(secondsSince1970: 1_790_000_000)

    /// Accepts connections at a port and answers none, or answers each with a status and remembers its delivery.
    private final class Receiver: Sendable {
        let port: UInt16
        private let descriptor: Int32
        private let taken = Mutex<[String]>([])
        private let isEnding = Atomic(false)

        init(at port: UInt16, answers: Bool) throws {
            self.port = port
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard PlainHTTP.Address.tcp(port: port).bind(descriptor), listen(descriptor, 256) == 0 else {
                throw PlainHTTP.Failure(description: "no receiver")
            }
            if answers { Thread { [self] in while take() {} }.start() }
        }

        /// The ids of what was delivered, in their order.
        var deliveries: [String] { taken.withLock { $0 } }

        func end() {
            isEnding.store(true, ordering: .relaxed)
            shutdown(descriptor, Int32(SHUT_RDWR))
            close(descriptor)
        }

        private func take() -> Bool {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return false }
            defer { close(connection) }
            // A client may open a connection on which it sends nothing.
            var limit = timeval(tv_sec: 0, tv_usec: 300_000)
            _ = unsafe setsockopt(
                connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            var bytes: [UInt8] = []
            while true {
                if let request = try? PlainHTTP.Reply(bytes),
                    request.body.count >= Int(request.headers["content-length"] ?? "0") ?? 0
                {
                    taken.withLock { $0.append(request.headers["countersign-delivery"] ?? "") }
                    break
                }
                var piece = [UInt8](repeating: 0, count: 4096)
                let count = unsafe recv(connection, &piece, piece.count, 0)
                guard count > 0 else { return true }
                bytes += piece.prefix(count)
            }
            let answer = Array("HTTP/1.1 204 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
            _ = unsafe Glibc.send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
            return true
        }
    }

    /// A queue that delivers to two origins, with a store.
    private struct Stage {
        let dead: UInt16
        let healthy: UInt16
        let folder: String
        let archive: RecordArchive
        let queue: WebhookQueue

        init() throws {
            dead = try ReaderDaemon.freePort()
            healthy = try ReaderDaemon.freePort()
            folder = FileManager.default.temporaryDirectory.appending(path: "webhooks-\(UUID())").path
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let metrics = PresentationMetrics()
            archive = try RecordArchive(store: folder, metrics: metrics, log: log, at: now)
            queue = WebhookQueue(
                to: [dead, healthy].compactMap { WebhookOrigin("http://127.0.0.1:\($0)") },
                secret: SecretBytes(copying: Array("0123456789abcdef".utf8)[...]), metrics: metrics, log: log,
                clock: .system, archive: archive)
        }

        /// Has the store keep an end that is to be delivered, as the daemon does before it sends it.
        func end(_ name: String, by caller: String, at port: UInt16) async throws -> (PresentationID, String)
        {
            let url = "http://127.0.0.1:\(port)/done"
            try await archive.store.put(
                StoredPresentation(
                    id: name, owner: caller, reference: nil, holder: 1,
                    order: [UInt8](repeating: 0, count: 32),
                    created: now, ended: now, lane: "lane-1", outcome: "allow", isOfTest: true,
                    description: #"{"id": "\#(name)"}"#, outcomeDescription: "{}", webhook: url))
            return (PresentationID(name), url)
        }

        func send(_ name: String, by caller: String, at port: UInt16) async throws {
            let (id, url) = try await end(name, by: caller, at: port)
            queue.send(Array(#"{"id": "\#(name)"}"#.utf8), of: id, by: caller, to: url)
        }

        /// Delivers while `body` runs.
        func running(_ body: () async throws -> Void) async throws {
            let running = Task { try await queue.run() }
            defer {
                running.cancel()
                try? FileManager.default.removeItem(atPath: folder)
            }
            try await body()
        }
    }

    private func until(_ what: String, _ seconds: Int = 60, _ condition: () async throws -> Bool) async throws
    {
        let began = ContinuousClock.now
        while try await !condition() {
            try #require(ContinuousClock.now - began < .seconds(seconds), "\(what)")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test(
        "Every result reaches the receiver that answers while another's share is full; once that answers, it gets what the store has",
        arguments: [false, true])
    func deadAndHealthy(_ hangs: Bool) async throws {
        let stage = try Stage()
        let hanging = hangs ? try Receiver(at: stage.dead, answers: false) : nil
        let healthy = try Receiver(at: stage.healthy, answers: true)
        defer { healthy.end() }
        try await stage.running {
            let names = (0..<Self.count).map { "dead-\($0)" }
            for name in names { try await stage.send(name, by: "till", at: stage.dead) }
            // The same caller's other receiver, and another caller at the origin that answers.
            for number in 0..<40 {
                try await stage.send("own-\(number)", by: "till", at: stage.healthy)
                try await stage.send("other-\(number)", by: "other", at: stage.healthy)
            }
            try await until("80 results", 120) { healthy.deliveries.count >= 80 }
            #expect(Set(healthy.deliveries).count == 80 && healthy.deliveries.count == 80)
            hanging?.end()
            let back = try Receiver(at: stage.dead, answers: true)
            defer { back.end() }
            try await until("all that the store had", 400) { Set(back.deliveries).count >= Self.count }
            #expect(Set(back.deliveries) == Set(names) && back.deliveries.count == Self.count)
            try await until("an empty store") { await stage.archive.pendingDeliveries()?.isEmpty == true }
        }
    }

    @Test("More ends than fit at once are delivered after a start, those of each caller and origin")
    func afterStart() async throws {
        let stage = try Stage()
        for number in 0..<Self.count {
            _ = try await stage.end("dead-\(number)", by: "till", at: stage.dead)
        }
        for number in 0..<40 { _ = try await stage.end("live-\(number)", by: "till", at: stage.healthy) }
        // Its origin is not allowed any more.
        _ = try await stage.end("elsewhere", by: "till", at: 1)
        let healthy = try Receiver(at: stage.healthy, answers: true)
        defer { healthy.end() }
        try await stage.running {
            try await until("40 results", 120) { healthy.deliveries.count >= 40 }
            try await until("the store without them") {
                await stage.archive.pendingDeliveries()?.count == Self.count
            }
            #expect(Set(healthy.deliveries).count == 40 && healthy.deliveries.count == 40)
        }
    }
}
