import Foundation
import Glibc

/// The Python package `cryptography`: an implementation that shares nothing with this one but OpenSSL below both.
package enum PythonCryptography {
    /// The interpreter; another one can be named where the package is in an environment of its own.
    private static let interpreter = ProcessInfo.processInfo.environment["COUNTERSIGN_PYTHON"] ?? "python3"

    package static let isThere = (try? run("import cryptography", "").status) == 0

    package static let missing =
        "Python's cryptography is not there: apt install python3-cryptography, or COUNTERSIGN_PYTHON=<interpreter>"

    /// Runs a script with one argument, for at most 60 s.
    package static func run(_ script: String, _ argument: String) throws -> (status: Int32, errors: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "python-\(UUID()).log")
        defer { try? FileManager.default.removeItem(at: log) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, log.path, O_WRONLY | O_CREAT, 0o600)
        let arguments: [String] = [interpreter, "-c", script, argument]
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        guard unsafe posix_spawnp(&child, interpreter, &actions, nil, &words, environ) == 0 else {
            return (127, "\(interpreter) does not start")
        }
        let status = wait(for: child)
        return (status, (try? String(contentsOf: log, encoding: .utf8)) ?? "")
    }

    private static func wait(for child: pid_t) -> Int32 {
        var status: Int32 = 0
        for _ in 0..<6000 {
            if unsafe waitpid(child, &status, WNOHANG) == child { return status >> 8 & 0xff | status & 0x7f }
            usleep(10_000)
        }
        kill(child, SIGKILL)
        waitpid(child, nil, 0)
        return 124
    }
}

/// Files that a script reads, gone with the value.
package final class ScriptFolder {
    package let path: String

    package init(_ files: [String: [UInt8]]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in files { try Data(bytes).write(to: folder.appending(path: name)) }
        path = folder.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
