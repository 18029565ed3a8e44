import Foundation
import GRDB
import Glibc
import Logging
import MdocModel
import OpenSSLCrypto
import OtherPrograms
import ReaderService
import Synchronization
import Testing

@testable import PresentationService
@testable import ReaderStore

/// Takes requests at a port and answers none, or answers each with a status and remembers its delivery. A request for
/// the path `/hang` gets no answer in any case.
final class HookReceiver: Sendable {
    /// The connections of requests that get no answer.
    private struct Hanging {
        var open: [Int32] = []
        var count = 0
    }

    let port: UInt16
    private let descriptor: Int32
    private let answers: Bool
    private let taken = Mutex<[String]>([])
    private let hanging = Mutex(Hanging())
    private let isEnding = Atomic(false)

    init(at port: UInt16, answers: Bool) throws {
        self.port = port
        self.answers = answers
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard LoopbackPort.bind(descriptor, to: port), listen(descriptor, 256) == 0 else {
            throw PlainHTTP.Failure(description: "no receiver at port \(port): error \(errno)")
        }
        Thread { [self] in while take() {} }.start()
    }

    /// The ids of what was delivered, in their order.
    var deliveries: [String] { taken.withLock { $0 } }

    /// The number of requests that got no answer.
    var hangingCount: Int { hanging.withLock { $0.count } }

    /// Closes the connections of the requests that got no answer.
    func hangUp() {
        for connection in hanging.withLock({ state in
            defer { state.open = [] }
            return state.open
        }) { close(connection) }
    }

    func end() {
        hangUp()
        isEnding.store(true, ordering: .relaxed)
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private func take() -> Bool {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return false }
        guard answer(connection) else {
            close(connection)
            return true
        }
        hanging.withLock { state in
            state.open.append(connection)
            state.count += 1
        }
        return true
    }

    /// Reads a request and answers it.
    ///
    /// - Returns: whether the connection is to stay open without an answer.
    private func answer(_ connection: Int32) -> Bool {
        // A client may open a connection on which it sends nothing.
        var limit = timeval(tv_sec: 0, tv_usec: 300_000)
        _ = unsafe setsockopt(
            connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var bytes: [UInt8] = []
        while true {
            if let request = try? PlainHTTP.Reply(bytes),
                request.body.count >= Int(request.headers["content-length"] ?? "0") ?? 0
            {
                if !answers || bytes.starts(with: Array("POST /hang ".utf8)) { return true }
                taken.withLock { $0.append(request.headers["countersign-delivery"] ?? "") }
                break
            }
            var piece = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return false }
            bytes += piece.prefix(count)
        }
        let answer = Array("HTTP/1.1 204 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = unsafe Glibc.send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
        return false
    }
}

/// A port of the loopback interface that no other program takes while it is held, and at which only a receiver listens.
///
/// A receiver that comes back binds the port again. Its earlier socket may still be there: closed, but inherited by a child process
/// that another test is starting.
final class LoopbackPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws {
        number = try ReaderDaemon.freePort()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard Self.bind(descriptor, to: number) else {
            throw PlainHTTP.Failure(description: "no port: error \(errno)")
        }
    }

    deinit { close(descriptor) }

    /// Binds a socket beside others at the port, of which none listens.
    static func bind(_ descriptor: Int32, to port: UInt16) -> Bool {
        var isShared: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, size) == 0
            && PlainHTTP.Address.tcp(port: port).bind(descriptor)
    }
}

/// A queue that delivers to two origins, with a store.
struct WebhookScene {
    private static let now = Timestamp(secondsSince1970: 1_790_000_000)

    /// The ports of the two origins, held until the end of the test.
    private let ports: [LoopbackPort]
    var dead: UInt16 { ports[0].number }
    var healthy: UInt16 { ports[1].number }
    let folder: String
    let archive: RecordArchive
    let queue: WebhookQueue
    let lines = WebhookLines()
    let metrics = PresentationMetrics()
    private let makeQueue: @Sendable () -> WebhookQueue

    init(_ schedule: WebhookQueue.Schedule = .init()) throws {
        let ports = [try LoopbackPort(), try LoopbackPort()]
        self.ports = ports
        folder = FileManager.default.temporaryDirectory.appending(path: "webhooks-\(UUID())").path
        let log = Logger(label: "test") { [lines] _ in lines.handler }
        let archive = try RecordArchive(store: folder, metrics: metrics, log: log, at: Self.now)
        self.archive = archive
        let origins = ports.compactMap { WebhookOrigin("http://127.0.0.1:\($0.number)") }
        makeQueue = { [metrics] in
            WebhookQueue(
                to: origins,
                secret: SecretBytes(copying: Array("0123456789abcdef".utf8)[...]), metrics: metrics, log: log,
                clock: .system, archive: archive, schedule: schedule)
        }
        queue = makeQueue()
    }

    /// Has the store keep an end that is to be delivered, as the daemon does before it sends it.
    func end(
        _ name: String, by caller: String, at port: UInt16, path: String = "/done"
    ) async throws -> (PresentationID, String) {
        let url = "http://127.0.0.1:\(port)\(path)"
        try await archive.store.put(
            StoredPresentation(
                id: name, owner: caller, reference: nil, holder: 1,
                order: [UInt8](repeating: 0, count: 32),
                created: Self.now, ended: Self.now, lane: "lane-1", outcome: .allow, isOfTest: true,
                description: #"{"id": "\#(name)"}"#, outcomeDescription: "{}", webhook: url))
        return (PresentationID(name), url)
    }

    func send(_ name: String, by caller: String, at port: UInt16, path: String = "/done") async throws {
        let (id, url) = try await end(name, by: caller, at: port, path: path)
        queue.send(Array(#"{"id": "\#(name)"}"#.utf8), of: id, by: caller, to: url)
    }

    /// Whether the figures have this line.
    func counts(_ outcome: String, _ count: Int) -> Bool {
        var text = MetricsText()
        metrics.write(to: &text)
        return text.text.contains("countersign_webhooks_total{outcome=\"\(outcome)\"} \(count)\n")
    }

    /// Changes the database by another connection, such as to make it fail.
    func change(_ sql: String) throws {
        var settings = Configuration()
        // The queue writes meanwhile.
        settings.busyMode = .timeout(20)
        try DatabaseQueue(path: "\(folder)/countersign.sqlite", configuration: settings).write {
            try $0.execute(sql: sql)
        }
    }

    /// A queue of a later run, with the same store.
    func another() -> WebhookQueue { makeQueue() }

    /// Delivers while `body` runs.
    func running(_ other: WebhookQueue? = nil, _ body: () async throws -> Void) async throws {
        let running = Task { try await (other ?? queue).run() }
        defer {
            running.cancel()
            try? FileManager.default.removeItem(atPath: folder)
        }
        try await body()
    }
}

/// The lines that a webhook queue and its store log.
final class WebhookLines: Sendable {
    private let lines = Mutex<[(message: String, metadata: Logger.Metadata)]>([])

    var handler: any LogHandler { Handler(lines: self) }

    /// The metadata of each line with this message.
    func metadata(of message: String) -> [Logger.Metadata] {
        lines.withLock { $0.filter { $0.message == message }.map(\.metadata) }
    }

    private struct Handler: LogHandler {
        let lines: WebhookLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.lines.withLock { $0.append((event.message.description, event.metadata ?? [:])) }
        }
    }
}
