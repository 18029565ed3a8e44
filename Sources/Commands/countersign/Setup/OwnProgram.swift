internal import ChildPrograms
internal import CommandLineInterface
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import SystemPackage

/// A program of this package, which is run to its end: it has its own deadlines. Its standard error is that of this one.
struct OwnProgram {
    /// The user of the daemon, whose store and files only that user may change.
    static let daemonUser = "countersign"

    let name: String
    /// Whether it runs as the daemon's user, if root starts it and there is such a user.
    var asDaemon = false

    /// Whether it is where the programs of this package are.
    var isInstalled: Bool {
        guard let folder = try? Self.folder() else { return false }
        return unsafe access("\(folder)/\(name)", X_OK) == 0
    }

    /// Its exit status, and what it wrote to its standard output.
    func run(_ arguments: [String]) throws(CommandFailure) -> (status: Int32, output: String) {
        let words = (asDaemon ? Self.daemonPrefix : []) + ["\(try Self.folder())/\(name)"] + arguments
        do {
            let (reading, writing) = try FileDescriptor.pipe(options: .closeOnExec)
            defer { try? reading.close() }
            let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
            let child = try writing.closeAfter {
                try ChildProgram(
                    words, environment: environment, input: .nowhere, output: .descriptor(writing.rawValue),
                    errors: .inherited)
            }
            let output = try Self.contents(of: reading)
            let status = child.end(until: nil) ?? -1
            return (
                status & 0x7f == 0 ? status >> 8 & 0xff : 128, String(decoding: output, as: UTF8.self)
            )
        } catch {
            throw .unavailable(
                "\(Terminal.safe(name)) cannot be run: \(error); install the whole package")
        }
    }

    /// The words before a command that run it as the daemon's user; empty if this is not root, or there is no such user.
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

    private static func contents(of file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}
