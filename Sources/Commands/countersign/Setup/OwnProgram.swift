internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// A program of this package, which is run to its end: it has its own deadlines. Its standard error is that of this one.
struct OwnProgram {
    /// The user of the daemon, whose store and files only that user may change.
    static let daemonUser = "countersign"

    let name: String
    /// Whether it runs as the daemon's user where root starts it and there is such a user.
    var asDaemon = false

    /// Its exit status, and what it wrote to its standard output.
    func run(_ arguments: [String]) throws(CommandFailure) -> (status: Int32, output: String) {
        let words = (asDaemon ? Self.daemonPrefix : []) + ["\(try Self.folder())/\(name)"] + arguments
        do {
            let (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
            defer { try? reading.close() }
            let child = try writing.closeAfter { try Self.spawn(words, output: writing) }
            let output = try Self.contents(of: reading)
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0 {
                guard errno == EINTR else { throw Errno(rawValue: errno) }
            }
            return (
                status & 0x7f == 0 ? status >> 8 & 0xff : 128, String(decoding: output, as: UTF8.self)
            )
        } catch {
            throw .unavailable(
                "\(Terminal.safe(name)) cannot be run: \(error); install the whole package")
        }
    }

    /// What runs a command as the daemon's user: nothing where this is not root, or there is no such user.
    static var daemonPrefix: [String] {
        unsafe geteuid() == 0 && getpwnam(daemonUser) != nil ? ["runuser", "-u", daemonUser, "--"] : []
    }

    private static func folder() throws(CommandFailure) -> String {
        guard
            let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
            let end = program.lastIndex(of: "/")
        else { throw .unavailable("/proc/self/exe cannot be read: mount /proc") }
        return String(program[..<end])
    }

    private static func spawn(_ words: [String], output: FileDescriptor) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, STDOUT_FILENO)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for argument in unsafe arguments { unsafe free(argument) } }
        var environment =
            unsafe ProcessInfo.processInfo.environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { for variable in unsafe environment { unsafe free(variable) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawnp(&child, words[0], &actions, nil, &arguments, &environment)
        guard failure == 0 else { throw Errno(rawValue: failure) }
        return child
    }

    private static func contents(of file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = try buffer.withUnsafeMutableBytes { buffer in try unsafe file.read(into: buffer) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}
