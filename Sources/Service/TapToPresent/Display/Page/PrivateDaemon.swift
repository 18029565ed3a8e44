internal import ChildPrograms
internal import DaemonClient
internal import Foundation
internal import Glibc
internal import JSON
internal import MdocTrust

/// A `countersignd` that runs for this program alone, with the clerk's page open in a browser.
///
/// The daemon uses the setup's store and devices, and a new folder for its socket, keys and configuration.
/// The daemon ends when this object is released. It also ends with this program, even after a crash, because
/// the daemon's standard input then ends.
final class PrivateDaemon: Sendable {
    /// The maximum time until the daemon answers.
    private static let startTime = Duration.seconds(20)
    /// The maximum time in which the daemon ends after its input has ended. A daemon that runs for longer is
    /// killed.
    private static let endTime = Duration.seconds(10)
    /// The maximum time to wait for `xdg-open` to report a failure.
    private static let browserTime = Duration.seconds(2)
    /// The ports for the page, below the range from which Linux assigns ports to outgoing connections
    /// (`ip_local_port_range`).
    private static let ports: Range<UInt16> = 20_000..<32_768

    let socket: DaemonSocket
    private let folder: URL
    private let program: ChildProgram
    /// This process's end of the socket pair whose other end is the daemon's standard input. The descriptor
    /// is close-on-exec, so that no other child process keeps the input open.
    private let input: Int32

    /// Starts the daemon and opens its page. Blocks the calling thread until both are done.
    init(
        _ page: ClerkPage, _ programs: ClerkPage.Programs, for setup: MobileDocumentReader.Setup
    ) throws(MobileDocumentReaderError) {
        let port = UInt16.random(in: Self.ports)
        folder = Self.newFolder(page.environment)
        socket = DaemonSocket(path: folder.appending(path: "socket").path)
        let configuration = setup.daemonConfiguration(in: folder, port: port, device: page.device)
        let file = folder.appending(path: "countersignd.json")
        do {
            // Fails if the folder exists, so that no folder of another user is used.
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try Data(configuration.utf8).write(to: file)
        } catch {
            throw .unavailable(.pageDaemonFailed)
        }
        let environment = page.environment.map { "\($0)=\($1)" }
        let words = [programs.daemon.path, "--config", file.path, "--until-input-ends"]
        (program, input) = try Self.start(words, environment)
        try waitUntilReady()
        try open(at: "http://127.0.0.1:\(port)", with: programs.browser, environment)
    }

    /// Starts the daemon with one end of a socket pair as its standard input. This input ends with this
    /// process, even after a crash. Returns the daemon's process and the other end of the pair.
    private static func start(
        _ words: [String], _ environment: [String]
    ) throws(MobileDocumentReaderError) -> (ChildProgram, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .unavailable(.pageDaemonFailed) }
        // The child process has its own copy of this end. If the copy in this process stayed open, the
        // daemon's input would not end.
        defer { close(ends[1]) }
        do throws(ChildProgram.NotStarted) {
            let program = try ChildProgram(
                words, environment: environment, input: .descriptor(ends[1]), output: .nowhere,
                errors: .inherited)
            return (program, ends[0])
        } catch {
            close(ends[0])
            throw .unavailable(.pageDaemonFailed)
        }
    }

    deinit {
        let (folder, program) = (folder, program)
        // The daemon ends when its standard input ends. A separate thread waits for the daemon, because the
        // release of this object must not block.
        close(input)
        Thread.detachNewThread {
            if program.end(until: .now + Self.endTime) == nil { program.kill() }
            // Waits without a time limit, even for a killed process, because the folder must not be removed
            // before the daemon has ended.
            _ = program.end(until: nil)
            try? FileManager.default.removeItem(at: folder)
        }
    }

    var isRunning: Bool { program.isRunning }

    /// Returns the path of a new folder, in the user's runtime folder if there is one.
    private static func newFolder(_ environment: [String: String]) -> URL {
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
        // Only a part of the UUID, since the length of a socket's path is limited (`sockaddr_un`).
        return (runtime ?? FileManager.default.temporaryDirectory)
            .appending(path: "countersign-\(UUID().uuidString.prefix(13))")
    }

    /// Waits until the daemon answers, and checks that the files of the clerk's page are installed.
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

    /// Opens the page through a redirecting file that only this user can read. The address contains the code
    /// that signs the browser in, and other users can read the arguments of a program.
    private func open(
        at origin: String, with browser: URL, _ environment: [String]
    ) throws(MobileDocumentReaderError) {
        let lane: JSONValue = ["page": "clerk", "lane": .string(MobileDocumentReader.Setup.lane)]
        guard let reply = try? socket.call("POST", "/v1/page-codes", body: lane),
            let code = try? JSONDecoder().decode(PageCode.self, from: Data(reply.body))
        else { throw .unavailable(.pageDaemonFailed) }
        let file = folder.appending(path: "clerk.html")
        let address = "\(origin)\(code.path)"
        let page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=\(address)\">\n"
        guard (try? Data(page.utf8).write(to: file)) != nil,
            let opening = try? ChildProgram(
                [browser.path, file.path], environment: environment, input: .nowhere, output: .nowhere,
                errors: .nowhere)
        else { throw .unavailable(.pageBrowserFailed) }
        // Some `xdg-open` programs become the browser, which continues after this object is released. A
        // separate thread waits for the end of such a process.
        guard let status = opening.end(until: .now + Self.browserTime) else {
            return Thread.detachNewThread { _ = opening.end(until: nil) }
        }
        guard status == 0 else { throw .unavailable(.pageBrowserFailed) }
    }
}

extension MobileDocumentReader.Setup {
    /// The name of the private daemon's lane.
    static let lane = "reader"

    /// Returns the content of the configuration file for a private daemon that follows this setup.
    fileprivate func daemonConfiguration(in folder: URL, port: UInt16, device: [(String, JSONValue)]?)
        -> String
    {
        let user: JSONValue = [
            "uid": .integer(Int64(getuid())), "scopes": .array(["app", "clerk"]),
        ]
        // The daemon has more request purposes than this library. The policy for elements applies to every
        // purpose except the age check.
        let other = (revocation[.elements] ?? .rental).policy.json
        // `endSeconds` is below `endTime`, so that a running presentation can end before the daemon is
        // killed.
        let configuration: JSONValue = [
            "store": .string(storeFolder), "keys": .string(folder.appending(path: "keys").path),
            "socket": [
                "path": .string(folder.appending(path: "socket").path), "mode": "0600",
                "users": .array([user]),
            ],
            "http": ["port": .integer(Int64(port))], "log": "error", "endSeconds": .integer(2),
            "policies": [
                "age": (revocation[.age] ?? .rental).policy.json, "rental": other, "identity": other,
                "elements": other,
            ],
            "acceptTestDocuments": .boolean(acceptsTestDocuments),
            "lanes": .array([.object(laneMembers(device))]),
        ]
        return configuration.text
    }

    /// Returns the members of the daemon's only lane.
    private func laneMembers(_ device: [(String, JSONValue)]?) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("name", .string(Self.lane)),
            // The daemon accepts 1 to 3600 s.
            ("waitSeconds", .integer(min(max(timeout.components.seconds, 1), 3600))),
        ]
        if let policy { members.append(("policy", policy.policy.json)) }
        // In tests, `device` replaces both the NFC reader and the Bluetooth adapter.
        if let device { return members + device }
        if let reader { members.append(("reader", .string(reader))) }
        if let bluetoothAdapter { members.append(("adapter", .string(bluetoothAdapter))) }
        return members
    }
}
