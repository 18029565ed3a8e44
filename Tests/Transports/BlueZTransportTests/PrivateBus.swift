import BlueZBench
import Deadlines
import Foundation
import Testing

@testable import BlueZTransport

/// A message bus of the test's own, with a real dbus-daemon.
final class PrivateBus: Sendable {
    static let isHere = FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
    static let absence: Comment = "no /usr/bin/dbus-daemon (Debian package dbus-daemon)"

    let address: String
    private let folder: URL
    private let daemon: BenchProcess

    private init(_ daemon: BenchProcess, in folder: URL) {
        self.daemon = daemon
        self.folder = folder
        address = "unix:path=\(folder.path)/bus"
    }

    private static func start() async throws -> PrivateBus {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            <busconfig><type>system</type><listen>unix:path=\(folder.path)/bus</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/>
            <allow send_type="*"/></policy></busconfig>
            """
        try settings.write(to: folder.appending(path: "settings"), atomically: true, encoding: .utf8)
        let daemon = try BenchProcess([
            "/usr/bin/dbus-daemon", "--config-file=\(folder.path)/settings", "--nofork",
        ])
        // Its socket is there a moment before anybody listens.
        try await until("a bus") {
            if daemon.exitStatus != nil { throw Overdue("a bus: \(daemon.lines)") }
            return (try? await Bus.connect(to: "unix:path=\(folder.path)/bus")) != nil
        }
        return PrivateBus(daemon, in: folder)
    }

    /// Runs `body` with a bus that ends afterwards.
    static func with(_ body: @escaping @Sendable (PrivateBus) async throws -> Void) async throws {
        let bus = try await start()
        let result = await Task { try await withDeadline("the test", .seconds(600)) { try await body(bus) } }
            .result
        await bus.end()
        try result.get()
    }

    func end() async {
        await daemon.leave()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A connection, and a name it owns.
    func connect(as name: String = "org.example.N\(UInt32.random(in: .min ... .max))") async throws -> (
        bus: Bus, name: String
    ) {
        let bus = try await Bus.connect(to: address)
        let answer = try await bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", BusMember("org.freedesktop.DBus", "RequestName"),
            [.string(name), .uint32(0)], within: .seconds(20))
        try #require(answer == [.uint32(1)])
        return (bus, name)
    }
}
