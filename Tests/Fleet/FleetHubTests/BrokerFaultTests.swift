import Deadlines
import Fleet
import Foundation
import MQTTClient
import MdocModel
import RecordBench
import Synchronization
import Testing

@testable import FleetHub

@Suite("A hub whose broker does not answer")
struct BrokerFaultTests {
    /// A server that accepts each connection, closes it at once, and counts.
    private final class ClosingServer: Sendable {
        let port: Int32
        private let listener: Int32
        private let count = Mutex(0)

        init() throws {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { [listener] pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(listener, pointer, size) == 0 && getsockname(listener, pointer, &size) == 0
                }
            }
            port = Int32(UInt16(bigEndian: address.sin_port))
            try #require(isBound && listen(listener, 16) == 0)
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

    private func settings(_ port: Int32, in folder: String) throws -> FleetBrokerSettings {
        let now = Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
        let chain = try #require(FleetName("utopia"))
        let name = try #require(FleetName("kiosk"))
        try HubAuthority.create(in: folder, for: chain, at: now)
        try HubAuthority.certifyServer(name, dns: [], addresses: [], in: folder, at: now)
        return FleetBrokerSettings(
            host: "127.0.0.1", port: Int64(port), authority: "\(folder)/authority.pem",
            certificate: "\(folder)/kiosk.pem", key: "\(folder)/kiosk-key.pem", user: "x", password: "x",
            client: "test")
    }

    @Test("A hub that no broker answers says so once, though it tries again")
    func silence() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-mqtt-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let closing = try ClosingServer()
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

    @Test("A kiosk and a hub connect over TLS with a certificate, and to the chain's own roots only")
    func protection() throws {
        let settings = FleetBrokerSettings(
            host: "broker", port: 8883, authority: "a.pem", certificate: "c.pem", key: "k.pem", user: "hub",
            password: "p", client: "countersign-hub", will: ("t", [1]))
        let connection = settings.connection
        #expect(
            connection.protection
                == .tls(
                    roots: .file("a.pem"),
                    certificate: BrokerClientCertificate(certificate: "c.pem", key: "k.pem")))
        #expect(connection.login?.user == "hub" && connection.login?.password == "p")
        #expect(connection.host == "broker" && connection.port == 8883)
        #expect(connection.client == "countersign-hub" && connection.will?.topic == "t")
    }
}
