import Foundation
import Glibc
import RecordBench
import Testing

/// A run of the writer beside the test, and how to kill it.
struct KilledWriter {
    static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "RecordWriter").path

    struct DoesNotStart: Error {}
    struct SaysNothing: Error {}

    /// What it said before it was killed: after so many lines, and then so many microseconds.
    static func run(
        _ arguments: [String], killedAfter lines: Int, andMicroseconds delay: UInt32
    ) throws -> [WriterLine] {
        let log = FileManager.default.temporaryDirectory.appending(path: "countersign-writer-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: log) }
        let process = try spawn(arguments, log)
        defer {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        var milliseconds = 60_000
        while text(log).filter({ $0 == "\n" }).count < lines {
            milliseconds -= 1
            guard milliseconds > 0, waitpid(process, nil, WNOHANG) == 0 else { throw SaysNothing() }
            usleep(500)
        }
        usleep(delay)
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        return text(log).split(separator: "\n").compactMap { WriterLine($0) }
    }

    private static func text(_ log: String) -> String {
        (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    }

    private static func spawn(_ arguments: [String], _ log: String) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            throw DoesNotStart()
        }
        return process
    }
}
