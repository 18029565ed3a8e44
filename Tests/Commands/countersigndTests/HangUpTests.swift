import Deadlines
import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("SIGHUP while countersignd starts")
struct HangUpTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersignd-\(UUID())")

    @Test(
        "A SIGHUP during the start does not end the daemon, and the file is read again when the daemon serves"
    )
    func start() async throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let (store, socket) = (folder.path + "/store", folder.path + "/socket")
        let lane = #"{"name": "a", "benchLink": "tcp://127.0.0.1:\#(try ReaderDaemon.freePort())"}"#
        let file = folder.path + "/countersignd.json"
        try #"{"store": "\#(store)", "socket": {"path": "\#(socket)"}, "lanes": [\#(lane)]}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let daemon = try BuiltProgram("countersignd", ["--config", file])
        try await until("a handler of SIGHUP") { Self.catchesHangUp(daemon.process) }
        daemon.signal(SIGHUP)
        try await daemon.said(" ready")
        try await daemon.said("read its configuration file again")
        #expect(!daemon.hasEnded)
    }

    @Test("The twin: a program without a handler is told from one with it, and ends at SIGHUP")
    func without() throws {
        let program = try ChildProcess(["sleep", "60"])
        #expect(!Self.catchesHangUp(program.number))
        program.signal(SIGHUP)
        #expect(program.waitForEnd() == 128 + SIGHUP)
    }

    /// Whether the first bit of the signals that the process catches is set (proc(5), `SigCgt`).
    private static func catchesHangUp(_ process: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let caught = status.firstMatch(of: /SigCgt:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) }
        return caught.map { $0 & 1 == 1 } ?? false
    }
}
