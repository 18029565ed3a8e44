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
        let arguments = [interpreter, "-c", script, argument]
        guard let process = try? ChildProcess(arguments, errors: .file(log.path)) else {
            return (127, "\(interpreter) does not start")
        }
        let status = exitCode(of: process)
        return (status, (try? String(contentsOf: log, encoding: .utf8)) ?? "")
    }

    private static func exitCode(of process: ChildProcess) -> Int32 {
        for _ in 0..<6000 {
            if let exitCode = process.exitCode { return exitCode }
            usleep(10_000)
        }
        process.end()
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
