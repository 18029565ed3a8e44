import Foundation
import Glibc
import OtherPrograms
import Testing

@Suite("SIGHUP while countersignd starts")
struct HangUpTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersignd-\(UUID())")

    /// Answers the next reader of a pipe with a file; `meanwhile` runs once the reader is there.
    private func answer(_ text: String, at pipe: String, _ meanwhile: () -> Void = {}) async throws {
        var writer: Int32 = -1
        for _ in 0..<4000 {
            // Refused until somebody reads.
            writer = unsafe open(pipe, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if writer >= 0 { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        try #require(writer >= 0)
        // One more for reading, so that a reader that has ended does not end the test.
        let reader = unsafe open(pipe, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { for end in [writer, reader] { _ = close(end) } }
        meanwhile()
        let bytes = Array(text.utf8)
        try #require(unsafe write(writer, bytes, bytes.count) == bytes.count)
    }

    @Test("Does not end it, and the file is read again once it serves")
    func start() async throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipe = folder.path + "/countersignd.json"
        try #require(unsafe mkfifo(pipe, S_IRUSR | S_IWUSR) == 0)
        let lane = #"{"name": "a", "benchLink": "tcp://127.0.0.1:\#(try ReaderDaemon.freePort())"}"#
        let configuration =
            #"{"store": "\#(folder.path)/store", "socket": {"path": "\#(folder.path)/socket"}, "lanes": [\#(lane)]}"#
        let daemon = try BuiltProgram("countersignd", ["--config", pipe])
        try await answer(configuration, at: pipe) { daemon.signal(SIGHUP) }
        try await daemon.said(" ready")
        try await answer(configuration, at: pipe)
        try await daemon.said("read the file again")
        #expect(!daemon.hasEnded)
    }
}
