internal import ArgumentParser
internal import ChildPrograms
internal import FoundationEssentials
internal import Glibc
internal import HTTPServing
internal import Logging
internal import ReaderAPI
internal import ServiceLifecycle
internal import Synchronization
internal import SystemPackage
internal import UnixSignals

/// The command `countersignd setup-page`, which `countersign setup --page` runs. It shows the questions of
/// setup to one browser of this computer.
struct SetupPageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup-page", abstract: "Serve the setup page to one browser of this computer.",
        discussion: """
            countersign setup --page runs this command. The printed address has a code that works once. The page ends \
            when the user presses Close this page, after 30 minutes, or after five wrong codes before the right one.
            """)

    // The option is not called `--config`, because the parser would give its value to the root command's
    // option `--config`.
    @Option(help: ArgumentHelp("The configuration to write.", valueName: "file"))
    var write = "/etc/countersign/countersignd.json"

    @Option(help: ArgumentHelp("The folder of the daemon's store.", valueName: "folder"))
    var store = "/var/lib/countersign"

    @Option(help: ArgumentHelp("The port on 127.0.0.1.", valueName: "number"))
    var port = 8412

    func validate() throws {
        guard (1...65_535).contains(port) else {
            throw ValidationError("--port must be a number from 1 to 65535.")
        }
    }

    func run() async throws {
        let page = try PageFiles(
            folder: Countersignd.folder + "/countersign_ReaderAPI.resources/Kiosk")
        let access = try SetupAccess()
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID())").path
        // The daemon's user reads the uploaded certificates of issuers. Other users cannot list the folder.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o711])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let runsCommands =
            write == "/etc/countersign/countersignd.json"
            && FileManager.default.fileExists(atPath: "/run/systemd/system")
        let running = RunningPrograms()
        let programs = SetupPrograms(
            config: write, store: store, logo: "\(folder)/logo.png", trust: "\(folder)/trust",
            hasWallet: FileManager.default.isExecutableFile(atPath: "\(Countersignd.folder)/countersign-lab"),
            runsCommands: runsCommands
        ) { words, input in await ProgramRun(words: words, input: input, in: folder, running).ended() }
        let address = "http://\(SetupServer.host):\(port)/setup#code=\(access.code)"
        var log = Logger(label: "setup-page")
        // The server logs only warnings, because the terminal is for the messages of the page.
        log.logLevel = .warning
        let server = SetupServer(
            port: port, access: access, page: page, programs: programs, log: log,
            report: Self.say,
            listening: { _ in
                Self.say("Open this address in a browser of this computer, within 30 minutes:\n  \(address)")
            })
        let lifetime = SetupPageLifetime(access: access, running: running)
        var group = ServiceGroupConfiguration(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint],
            logger: log)
        group.services.append(
            .init(service: lifetime, successTerminationBehavior: .gracefullyShutdownGroup))
        group.maximumGracefulShutdownDuration = .seconds(5)
        group.maximumCancellationDuration = .seconds(5)
        try await ServiceGroup(configuration: group).run()
        if await lifetime.end == .guessed { throw ExitCode(64) }
    }

    private static func say(_ text: String) {
        // A failed write is ignored, because the page also works if nobody reads the standard output.
        _ = try? FileDescriptor.standardOutput.writeAll("\(text)\n".utf8)
    }
}

/// The service that waits for the end of the setup page. It prints the reason for the end on the terminal, and
/// ends the running programs.
private actor SetupPageLifetime: Service {
    private let access: SetupAccess
    private let running: RunningPrograms
    private(set) var end: SetupAccess.End?

    init(access: SetupAccess, running: RunningPrograms) {
        self.access = access
        self.running = running
    }

    func run() async throws {
        let timer = Task {
            try await Task.sleep(for: SetupAccess.lifetime)
            access.end(.overdue)
        }
        defer { timer.cancel() }
        for await end in access.ends.cancelOnGracefulShutdown() {
            self.end = end
            let words =
                switch end {
                case .finished: "the setup page was ended in the browser"
                case .overdue: "the setup page was open for 30 minutes and has ended: run the command again"
                case .guessed:
                    "five wrong codes were sent, so the setup page has ended: run the command again"
                }
            _ = try? FileDescriptor.standardOutput.writeAll("\(words)\n".utf8)
        }
        running.end()
    }
}

/// The programs that run for the setup page, each in a process group of its own.
private final class RunningPrograms: Sendable {
    private struct State {
        var programs: [ObjectIdentifier: ChildProgram] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Adds a program. If the page has ended, kills the program immediately.
    func insert(_ program: ChildProgram) {
        let hasEnded = state.withLock { state in
            state.programs[ObjectIdentifier(program)] = program
            return state.hasEnded
        }
        if hasEnded { program.kill() }
    }

    func remove(_ program: ChildProgram) {
        _ = state.withLock { $0.programs.removeValue(forKey: ObjectIdentifier(program)) }
    }

    /// Kills the programs, and each program that is added later, with the programs that they have started. A
    /// step that waits, such as the start of the software wallet, must not outlive the page.
    func end() {
        let programs = state.withLock { state in
            state.hasEnded = true
            return Array(state.programs.values)
        }
        for program in programs { program.kill() }
    }
}

/// A run of a program with its input and outputs in files, so that a full pipe blocks nothing.
private struct ProgramRun {
    private static let largestOutput = 1 << 20

    let words: [String]
    let input: [UInt8]
    let folder: String
    let running: RunningPrograms

    init(words: [String], input: [UInt8], in folder: String, _ running: RunningPrograms) {
        // The name `countersign` is replaced by the path of the program in the folder of this program.
        self.words =
            words.first == "countersign" ? ["\(Countersignd.folder)/countersign"] + words.dropFirst() : words
        self.input = input
        self.folder = folder
        self.running = running
    }

    /// Runs the program to its end. Its state is polled, because waiting for it would block a thread.
    func ended() async -> SetupPrograms.Ended {
        do {
            let (input, output, errors) = (try file(self.input), try file([]), try file([]))
            defer { for file in [input, output, errors] { try? file.close() } }
            let child = try ChildProgram(
                words, environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" },
                input: .descriptor(input.rawValue), output: .descriptor(output.rawValue),
                errors: .descriptor(errors.rawValue), inOwnGroup: true)
            running.insert(child)
            defer { running.remove(child) }
            while child.isRunning { try await Task.sleep(for: .milliseconds(20)) }
            let status = child.end(until: nil) ?? ChildProgram.unknown
            return SetupPrograms.Ended(
                status: status & 0x7f == 0 ? status >> 8 & 0xff : 128, output: try text(of: output),
                errors: try text(of: errors))
        } catch {
            return SetupPrograms.Ended(status: 127, output: "", errors: "\(words[0]) cannot be run: \(error)")
        }
    }

    /// Creates a file with the given contents, to be read from its beginning. Its name is removed
    /// immediately, so the file is deleted when it is closed.
    private func file(_ bytes: [UInt8]) throws -> FileDescriptor {
        let path = "\(folder)/\(UUID())"
        let file = try FileDescriptor.open(
            FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: [.ownerReadWrite])
        _ = unsafe unlink(path)
        _ = try file.writeAll(bytes)
        _ = try file.seek(offset: 0, from: .start)
        return file
    }

    private func text(of file: FileDescriptor) throws -> String {
        var bytes = [UInt8](repeating: 0, count: Self.largestOutput)
        let count = try unsafe bytes.withUnsafeMutableBytes {
            try unsafe file.read(fromAbsoluteOffset: 0, into: $0)
        }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
