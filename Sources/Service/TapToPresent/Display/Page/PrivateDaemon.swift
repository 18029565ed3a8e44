internal import DaemonClient
internal import Foundation
internal import Glibc
internal import JSON

/// A `countersignd` that runs for this program alone, with its page open. It ends with this object, and with the
/// program: it reads the end of its input then.
final class PrivateDaemon: Sendable {
    private static let startTime = Duration.seconds(20)
    /// How long it may take to end by itself; then it is killed.
    private static let endTime = Duration.seconds(10)
    /// Below the ports that the system gives to those that connect.
    private static let ports: Range<UInt16> = 20_000..<32_768

    let socket: DaemonSocket
    private let folder: URL
    private let process: Process
    private let input: Pipe

    /// Starts the daemon and opens its page. Blocks its thread meanwhile.
    init(
        _ page: ClerkPage, _ programs: ClerkPage.Programs, for setup: MobileDocumentReader.Setup
    ) throws(MobileDocumentReaderError) {
        let port = UInt16.random(in: Self.ports)
        folder = Self.newFolder(page.environment)
        socket = DaemonSocket(path: folder.appending(path: "socket").path)
        (process, input) = (Process(), Pipe())
        let configuration = setup.daemonConfiguration(in: folder, port: port, device: page.device)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            let file = folder.appending(path: "countersignd.json")
            try Data(configuration.utf8).write(to: file)
            // The browser must not keep it open.
            _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
            process.executableURL = programs.daemon
            process.arguments = ["--config", file.path, "--until-input-ends"]
            process.environment = page.environment
            process.standardInput = input
            process.standardOutput = FileHandle.nullDevice
            try process.run()
        } catch {
            throw .unavailable(.pageDaemonFailed)
        }
        try waitUntilReady()
        try open(at: "http://127.0.0.1:\(port)", with: programs.browser)
    }

    deinit {
        let (folder, process) = (folder, process)
        try? input.fileHandleForWriting.close()
        Thread.detachNewThread {
            let deadline = ContinuousClock.now + Self.endTime
            while process.isRunning, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.02) }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            try? FileManager.default.removeItem(at: folder)
        }
    }

    var isRunning: Bool { process.isRunning }

    private static func newFolder(_ environment: [String: String]) -> URL {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        return (runtime ?? FileManager.default.temporaryDirectory)
            .appending(path: "countersign-\(UUID().uuidString.prefix(13))")
    }

    private func waitUntilReady() throws(MobileDocumentReaderError) {
        let deadline = ContinuousClock.now + Self.startTime
        while (try? socket.call("GET", "/healthz")) == nil {
            guard isRunning, ContinuousClock.now < deadline else { throw .unavailable(.pageDaemonFailed) }
            Thread.sleep(forTimeInterval: 0.02)
        }
        guard (try? socket.call("GET", "/clerk")) != nil else { throw .unsupported(.pageFilesMissing) }
    }

    private struct PageCode: Decodable {
        let path: String
    }

    /// Opens the page by a file of this user alone: other users can read the arguments of a program, and the code is
    /// in the address.
    private func open(at origin: String, with browser: URL) throws(MobileDocumentReaderError) {
        let lane: JSONValue = ["page": "clerk", "lane": .string(MobileDocumentReader.Setup.lane)]
        guard let reply = try? socket.call("POST", "/v1/page-codes", lane),
            let code = try? JSONDecoder().decode(PageCode.self, from: Data(reply.body))
        else { throw .unavailable(.pageDaemonFailed) }
        let file = folder.appending(path: "clerk.html")
        let address = "\(origin)\(code.path)"
        let page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=\(address)\">\n"
        let opening = Process()
        opening.executableURL = browser
        opening.arguments = [file.path]
        opening.environment = process.environment
        opening.standardOutput = FileHandle.nullDevice
        opening.standardError = FileHandle.nullDevice
        do {
            try Data(page.utf8).write(to: file)
            try opening.run()
        } catch {
            throw .unavailable(.pageBrowserFailed)
        }
        // Where xdg-open itself is the browser it stays.
        let deadline = ContinuousClock.now + .seconds(2)
        while opening.isRunning, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.02) }
        guard opening.isRunning || opening.terminationStatus == 0 else {
            throw .unavailable(.pageBrowserFailed)
        }
    }
}
