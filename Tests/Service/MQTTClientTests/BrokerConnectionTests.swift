import Deadlines
import Fleet
import Foundation
import MdocModel
import RecordBench
import Synchronization
import Testing

@testable import FleetHub

@Suite("A connection to the broker")
struct BrokerConnectionTests {
    /// The socket of somebody who listens, takes no connection where `isFull`, and never says a word.
    private final class Mute {
        let port: Int32
        private var descriptors: [Int32] = []
        var listener: Int32 { descriptors[0] }

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
            // One that is accepted by the system and two that wait for it: the next one's SYN is dropped.
            for _ in 0..<(isFull ? 3 : 0) {
                let one = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                descriptors.append(one)
                _ = fcntl(one, F_SETFL, O_NONBLOCK)
                unsafe withUnsafePointer(to: &address) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                        _ = unsafe connect(one, pointer, size)
                    }
                }
            }
        }

        deinit { for descriptor in descriptors { close(descriptor) } }
    }

    /// Somebody who takes each connection, closes it at once, and counts.
    private final class Closing: Sendable {
        let port: Int32
        private let listener: Int32
        private let count = Mutex(0)

        init() throws {
            let mute = try Mute(isFull: false)
            port = mute.port
            listener = dup(mute.listener)
            Thread.detachNewThread { [self, listener] in
                while true {
                    let one = accept(listener, nil, nil)
                    guard one >= 0 else { return }
                    count.withLock { $0 += 1 }
                    close(one)
                }
            }
        }

        var connections: Int { count.withLock { $0 } }

        func end() {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
    }

    private func settings(_ port: Int32, in folder: String) throws -> BrokerConnection.Settings {
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        let chain = try #require(FleetName("utopia"))
        let name = try #require(FleetName("kiosk"))
        try HubAuthority.create(in: folder, for: chain, at: now)
        try HubAuthority.certifyServer(name, dns: [], addresses: [], in: folder, at: now)
        return BrokerConnection.Settings(
            host: "127.0.0.1", port: Int64(port), authority: "\(folder)/authority.pem",
            certificate: "\(folder)/kiosk.pem", key: "\(folder)/kiosk-key.pem", user: "x", password: "x",
            client: "test")
    }

    @Test("A broker that does not answer is left at once, and holds no thread", arguments: [false, true])
    func mute(_ isFull: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-mqtt-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let broker = try Mute(isFull: isFull)
        let connection = try #require(BrokerConnection(try settings(broker.port, in: folder)))
        connection.start()
        // Nothing shows that it connects by now.
        try await Task.sleep(for: .milliseconds(300))
        let begin = ContinuousClock.now
        await connection.stop()
        for await event in connection.events { #expect(event == .ended) }
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test("Files that libmosquitto does not take are refused, again and again; those that it takes are not")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-mqtt-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var settings = try settings(1, in: folder)
        #expect(BrokerConnection(settings) != nil)
        settings.authority = "\(folder)/absent.pem"
        // What is freed twice ends the process sooner or later.
        for _ in 0..<100 { #expect(BrokerConnection(settings) == nil) }
    }

    @Test("A hub that no broker answers says so once, though it tries again")
    func silence() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-mqtt-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let closing = try Closing()
        let log = LogLines()
        let broker = HubBroker(
            try settings(closing.port, in: folder),
            HubDatabase("host=/nonexistent", chain: try #require(FleetName("utopia"))), log: log.logger,
            now: RunningHub.now)
        let running = Task { try await broker.run() }
        defer {
            running.cancel()
            closing.end()
        }
        try await until("it has tried four times") { closing.connections >= 4 }
        running.cancel()
        _ = await running.result
        let text = "no connection to the broker 127.0.0.1:\(closing.port): "
        #expect(log.count(text) == 1, "\(log.lines)")
    }

    @Test("What is wrong with the broker is said once, again after a connection, and another fault at once")
    func remarks() {
        var remark = BrokerRemark()
        #expect(remark.isNews("one") && !remark.isNews("one") && remark.isNews("two") && remark.isNews("one"))
        remark.clear()
        #expect(remark.isNews("one") && !remark.isNews("one"))
    }

    @Test("Where nobody listens the connection is over at once")
    func refused() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-mqtt-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // A port that was free a moment ago.
        let port = try { try Mute(isFull: false).port }()
        let connection = try #require(BrokerConnection(try settings(port, in: folder)))
        let begin = ContinuousClock.now
        connection.start()
        for await event in connection.events { #expect(event == .ended) }
        #expect(ContinuousClock.now - begin < .seconds(30))
        await connection.stop()
    }
}
