import Foundation
import Glibc
import Testing

/// A run of the built command that goes on beside the test.
final class RunningCommand {
    /// How a run ended, and what it wrote.
    struct Ended {
        let status: Int32
        let output: String
        let errors: String

        /// Everything that was written, wherever.
        var everything: String { output + errors }

        /// The standard output as JSON.
        func json() throws -> [String: Any] {
            try #require(
                JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any], "\(errors)")
        }

        func report() throws -> VerdictJSON {
            try JSONDecoder().decode(VerdictJSON.self, from: Data(output.utf8))
        }
    }

    private let folder: TemporaryFolder
    private let process: pid_t
    private var hasEnded = false

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        process = try Self.spawn(
            arguments, environment, output: folder.path("output"), errors: folder.path("errors"))
    }

    convenience init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    deinit {
        guard !hasEnded else { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    var output: String { text("output") }
    var errors: String { text("errors") }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder.path(name), encoding: .utf8)) ?? ""
    }

    /// The first line of the standard output, once it is there.
    func firstLine() async throws -> String {
        try await until("a first line") { self.output.contains("\n") }
        return String(output.prefix { $0 != "\n" })
    }

    /// Returns once the command has said this on its standard error.
    func said(_ words: String) async throws {
        try await until(words) { self.errors.contains(words) }
    }

    func interrupt() {
        kill(process, SIGINT)
    }

    /// Waits for the end, up to 60 s.
    func ended() async throws -> Ended {
        var status: Int32 = 0
        try await until("the end") { unsafe waitpid(self.process, &status, WNOHANG) == self.process }
        hasEnded = true
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
        return Ended(status: code, output: output, errors: errors)
    }

    private func until(_ what: String, _ condition: () -> Bool) async throws {
        for _ in 0..<12_000 {
            if condition() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        try #require(condition(), "\(what) does not come; standard error: \(errors)")
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], output: String, errors: String
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        // The threads of this process block signals; the command is to hear them.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, given in given }
        var words = unsafe ([CommandRun.program] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(
            &child, CommandRun.program, &actions, &attributes, &words, &settings)
        try #require(failure == 0, "\(CommandRun.program) does not start")
        return child
    }
}

/// Runs the command and waits for its end without keeping a thread.
func execute(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningCommand.Ended
{
    try await RunningCommand(arguments, environment: environment).ended()
}
