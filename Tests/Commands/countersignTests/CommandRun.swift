import Foundation
import Glibc
import Testing

/// One run of the built command: what it wrote, and how it ended.
struct CommandRun {
    let status: Int32
    let output: String
    let errors: String

    /// The program that was built beside these tests.
    static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "countersign").path

    init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    init(_ arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let (output, errors) = (folder.path("output"), folder.path("errors"))
        status = try Self.run(arguments, output: output, errors: errors)
        self.output = try String(contentsOfFile: output, encoding: .utf8)
        self.errors = try String(contentsOfFile: errors, encoding: .utf8)
    }

    /// Everything that was written, wherever.
    var everything: String { output + errors }

    /// The standard output, which has to be one JSON value.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
        return try #require(value as? [String: Any], sourceLocation: sourceLocation)
    }

    func report<Report: Decodable>(as type: Report.Type = VerdictJSON.self) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(output.utf8))
    }

    private static func run(_ arguments: [String], output: String, errors: String) throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0o600)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, program, &actions, nil, &words, environ)
        try #require(failure == 0, "\(program) does not start")
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) == -1 {
            try #require(errno == EINTR)
        }
        // A signal, as a trap raises one, is told as a shell tells it.
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }
}

/// A folder that goes with its owner.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "countersign-tests-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appending(path: name).path }

    /// Writes a file, and gives its path.
    func write(_ bytes: some Sequence<UInt8>, as name: String) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        return path(name)
    }
}

/// The permission bits of a file.
func permissions(of path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
}
