import Deadlines
import Foundation
import MQTTClient
import OtherPrograms
import Testing

/// A real mosquitto on this computer, and mosquitto's own client programs as foreign clients.
final class RunningBroker: Sendable {
    private static let program = "/usr/sbin/mosquitto"

    static let isThere =
        [program, "/usr/bin/mosquitto_sub", "/usr/bin/mosquitto_pub"].allSatisfy(
            FileManager.default.isExecutableFile)
    static let missing: Comment = "no mosquitto here: apt install mosquitto mosquitto-clients"

    let port: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// - Parameters:
    ///   - lines: Further lines of the configuration file.
    ///   - users: The users with their passwords; without users the broker accepts everyone.
    init(_ lines: [String] = [], users: [String: String] = [:]) async throws {
        let port = try ReaderDaemon.freePort()
        folder = try TemporaryFolder()
        let passwords = "\(folder.path)/passwords"
        for (user, password) in users {
            let isFirst = !FileManager.default.fileExists(atPath: passwords)
            let adding = try ChildProcess(
                ["mosquitto_passwd", "-b"] + (isFirst ? ["-c"] : []) + [passwords, user, password])
            guard adding.waitForEnd() == 0 else { throw Overdue("a password file") }
        }
        // With `user root` a mosquitto that root starts stays root, and can read the files of this test.
        let configuration =
            [
                "listener \(port) 127.0.0.1", "user root", "persistence false",
                "allow_anonymous \(users.isEmpty)",
            ] + (users.isEmpty ? [] : ["password_file \(passwords)"]) + lines
        let file = "\(folder.path)/mosquitto.conf"
        try Data(configuration.joined(separator: "\n").utf8).write(to: URL(filePath: file))
        let process = try ChildProcess([Self.program, "-c", file])
        self.port = port
        self.process = process
        try await until("mosquitto listens") {
            guard process.exitCode == nil else { throw Overdue("mosquitto, which has ended") }
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            return PlainHTTP.Address.tcp(port: port).connect(descriptor)
        }
    }

    /// A broker that speaks TLS with one of the certificates.
    static func withTLS(
        _ files: BrokerFiles, certificate: String = "broker", requiresClient: Bool = false
    ) async throws -> RunningBroker {
        try await RunningBroker([
            "cafile \(files.path)/root.pem", "certfile \(files.path)/\(certificate).pem",
            "keyfile \(files.path)/\(certificate)-key.pem", "require_certificate \(requiresClient)",
        ])
    }

    deinit { process.end() }

    /// The settings of a client of this broker.
    func settings(
        _ protection: BrokerProtection = .unencrypted, login: BrokerLogin? = nil, client: String = "test",
        will: (topic: String, payload: [UInt8])? = nil
    ) -> BrokerConnection.Settings {
        BrokerConnection.Settings(
            host: "127.0.0.1", port: Int64(port), protection: protection, login: login, client: client,
            will: will)
    }

    /// Publishes a message as a foreign client, and waits until the broker has acknowledged it.
    func publish(_ payload: String, to topic: String, isRetained: Bool = false) throws {
        let words = [
            "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(port)", "-q", "1", "-t", topic, "-m", payload,
        ]
        let client = try ChildProcess(words + (isRetained ? ["-r"] : []))
        guard client.waitForEnd() == 0 else { throw Overdue("a foreign client's message") }
    }

    /// Ends the TCP connections of this process to the broker without a DISCONNECT, as the system does for a
    /// program that is killed.
    func cutOwnConnections() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let descriptor = Int32(name) else { continue }
            var peer = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe getpeername(descriptor, pointer, &size) == 0
                }
            }
            guard isConnected, peer.sin_family == sa_family_t(AF_INET),
                UInt16(bigEndian: peer.sin_port) == port
            else { continue }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }
}

/// mosquitto's own subscriber, which subscribes to all topics.
final class ForeignSubscriber: Sendable {
    private let folder: TemporaryFolder
    private let process: ChildProcess

    init(_ broker: RunningBroker) throws {
        folder = try TemporaryFolder()
        process = try ChildProcess(
            [
                "mosquitto_sub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "#", "-F",
                "%r %t %p",
            ], output: .file("\(folder.path)/output"))
    }

    deinit { process.end() }

    /// The messages so far, in their order: `1` for a stored message or `0`, the topic, and the payload.
    var messages: [String] {
        let bytes = (try? Data(contentsOf: URL(filePath: "\(folder.path)/output"))) ?? Data()
        // A message whose line is not complete yet is left out.
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// Waits for a message.
    func received(_ message: String) async throws {
        try await until("the message \(message)") { self.messages.contains(message) }
    }
}

/// A folder that is removed with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "countersign-broker-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
