import Foundation
import Glibc
import Testing

@testable import BlueZTransport

/// The guest with a real bluetoothd that `Hardware/VirtualBench/with-bluez` sets up around a test run.
enum BlueZBench {
    static let isHere = environment("COUNTERSIGN_BLUEZ_BENCH") == "1"
    static let absence: Comment = "no bench: run Hardware/VirtualBench/with-bluez swift test …"

    static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// Runs `bluezd-control` and waits for it; it bounds its own waits.
    static func bluetoothd(_ action: String) async throws {
        let control = try #require(environment("COUNTERSIGN_BLUEZD_CONTROL"))
        let process = try BenchProcess([control, action])
        try #require(try await process.end(within: .seconds(60)) == 0, "bluezd-control \(action)")
    }
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
}

/// A program beside the test, and what it has written so far.
final class BenchProcess: Sendable {
    private let process: pid_t
    private let output: String

    init(_ arguments: [String]) throws {
        output = NSTemporaryDirectory() + "/countersign-\(UUID().uuidString)"
        var process: pid_t = 0
        var files = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&files)
        defer { unsafe posix_spawn_file_actions_destroy(&files) }
        unsafe posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_adddup2(&files, 1, 2)
        // The threads of this process block signals; who inherits that would not end on TERM.
        var attributes = posix_spawnattr_t()
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let status = unsafe posix_spawnp(&process, arguments[0], &files, &attributes, &words, environ)
        self.process = process
        guard status == 0 else { throw Overdue(what: "start of \(arguments[0])") }
    }

    var lines: [String] {
        let text = try? String(contentsOfFile: output, encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits until it has written a line with this text.
    @discardableResult
    func line(with text: String, within limit: Duration = .seconds(60)) async throws -> String {
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end {
            if let line = lines.first(where: { $0.contains(text) }) { return line }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Overdue(what: "'\(text)' in \(lines)")
    }

    /// Its exit status, or the signal that ended it, negative.
    func end(within limit: Duration) async throws -> Int32 {
        let end = ContinuousClock.now + limit
        var status: Int32 = 0
        while ContinuousClock.now < end {
            if unsafe waitpid(process, &status, WNOHANG) != 0 {
                return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        kill(process, SIGKILL)
        unsafe waitpid(process, &status, 0)
        throw Overdue(what: "end of a program; \(lines)")
    }

    /// Tells it to leave, and waits until it has.
    func leave() async {
        kill(process, SIGTERM)
        // Also for a test that was cancelled: nothing of this test is to be on the air in the next.
        _ = await Task { try? await end(within: .seconds(10)) }.value
    }
}
