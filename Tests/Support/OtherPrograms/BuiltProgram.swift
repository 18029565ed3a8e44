package import Foundation
internal import Glibc

/// A program that was built beside the tests, running beside the test.
package final class BuiltProgram: @unchecked Sendable {  // its process is told apart by its number alone
    private let folder: URL
    package let process: pid_t
    private var hasEnded = false

    package struct Overdue: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter name: of the program, in the folder of the tests' own.
    package init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "countersign-program-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path
        process = try Self.spawn(
            program, arguments, environment, output: folder.appending(path: "output").path,
            errors: folder.appending(path: "errors").path)
    }

    deinit {
        if !hasEnded {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        try? FileManager.default.removeItem(at: folder)
    }

    package var output: String { text("output") }
    package var errors: String { text("errors") }

    private func text(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// The first line of the standard output, once it is there.
    package func firstLine() async throws -> String {
        try await until("a first line") { self.output.contains("\n") }
        return String(output.prefix { $0 != "\n" })
    }

    /// Returns once the program has said this on its standard error, so many times.
    package func said(_ words: String, times: Int = 1) async throws {
        try await until(words) { self.errors.components(separatedBy: words).count > times }
    }

    package func signal(_ number: Int32) {
        kill(process, number)
    }

    /// Waits for the end; the exit code, or 128 and the signal.
    package func ended() async throws -> Int32 {
        var status: Int32 = 0
        try await until("the end") { unsafe waitpid(self.process, &status, WNOHANG) == self.process }
        hasEnded = true
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private func until(_ what: String, _ condition: () -> Bool) async throws {
        for _ in 0..<12_000 {
            let isLast = isOver
            if condition() { return }
            if isLast { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Overdue(description: "\(what) does not come; standard error: \(errors)")
    }

    /// Whether it has ended; its exit code stays to be asked for.
    private var isOver: Bool {
        var information = siginfo_t()
        let options = WEXITED | WNOHANG | WNOWAIT
        return unsafe waitid(P_PID, id_t(process), &information, options) == 0
            && information.si_signo == SIGCHLD
    }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String], output: String,
        errors: String
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // The threads of this process block signals; the program is to hear them.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, program, &actions, &attributes, &words, &settings)
        guard failure == 0 else { throw Overdue(description: "\(program) does not start") }
        return child
    }
}
