import Foundation
import OtherPrograms
import Testing

@Suite("What keeps countersignd from starting")
struct StartTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "countersignd-\(UUID())")

    /// A file of a configuration in a folder with a secret that is too short, a store that others may write to, and a page
    /// that is too large.
    private func file(_ members: String) throws -> String {
        for name in ["store", "open"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true,
                attributes: [.posixPermissions: name == "open" ? 0o777 : 0o700])
        }
        let secret = FileManager.default.createFile(
            atPath: "\(folder.path)/short", contents: Data(count: 15), attributes: [.posixPermissions: 0o600])
        try #require(secret)
        let large = "\(folder.path)/open/large.js"
        try #require(FileManager.default.createFile(atPath: large, contents: Data(count: 8 << 20 + 1)))
        let file = folder.appending(path: "countersignd.json")
        let text = #"{"socket": {"path": "/F/socket"}, "lanes": [{"name": "a"}], \#(members)}"#
        try Data(text.replacing("/F/", with: folder.path + "/").utf8).write(to: file)
        return file.path
    }

    private static let shortSecret =
        #""webhooks": {"origins": ["https://till.example"], "secretFile": "/F/short"}"#

    /// The lines in which the program says why it ends.
    private func reasons(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> [Substring] {
        let run = try BuiltProgram("countersignd", arguments, environment: environment)
        #expect(try await run.ended() == 1, "\(run.errors)")
        // The listener that was opened before is cancelled, and nobody is told.
        #expect(!run.errors.contains("CancellationError"), "\(run.errors)")
        let text = run.errors.replacing(folder.path + "/", with: "/F/")
        return Array(text.split(separator: "\n").drop { !$0.hasPrefix("error: ") })
    }

    @Test(
        "Is one line with what is to be changed",
        arguments: [
            (
                #""store": "/F/store", \#(shortSecret)"#,
                "webhooks.secretFile: /F/short has fewer than 16 bytes"
            ),
            (#""store": "/F/open""#, "store: /F/open: users other than its owner may write to the store"),
            (#""store": "/F/store", "keys": "/F/open/../store/keys""#, "store: /F/store: the keys"),
            (#""store": "/F/store", "page": "/F/none""#, "page: /F/none: the folder does not exist"),
            (
                #""store": "/F/store", "page": "/F/open""#,
                "page: /F/open: the folder's files have more than 8 MiB"
            ),
        ])
    func start(_ members: String, _ words: String) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = try await reasons(["--config", file(members)])
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("error: \(words)") }, "\(lines)")
    }

    @Test("Of secrets and keys is named by --check, and one does not hide another")
    func check() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let token = #"{"brand": "utopia", "kid": "k1", "keyFile": "/F/token.pem"}"#
        let file = try file(
            """
            "store": "/F/store", "page": "/F/store", \(Self.shortSecret), "readerTokens": {"keys": [\(token)], "grants": []},
            "online": {"web": {"origins": ["https://shop.example"], "keys": ["/F/short"]},
                       "nonces": {"store": "postgresql", "connection": "/F/connection"}}
            """)
        let lines = try await reasons(["--config", file, "--check"])
        let due = [
            "error: webhooks.secretFile: /F/short has fewer", "readerTokens.keys: /F/token.pem: No such file",
            "page: /F/store: the folder contains no file of the page",
            "online: /F/short: the key cannot be used",
            "online.nonces.connection: /F/connection: No such file",
        ]
        #expect(lines.count == due.count && zip(lines, due).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
    }

    @Test("Is the listener that another has, or that cannot be")
    func listeners() async throws {
        let other = try await ReaderDaemon(lanes: [nil])
        let (file, listener) = (other.folder.path + "/countersignd.json", other.folder.path + "/socket")
        // With one fault each: which of two listeners is opened first is chance.
        let free = other.folder.path + "/free.json"
        try String(contentsOfFile: file, encoding: .utf8)
            .replacing("\"port\": \(other.port)", with: "\"port\": \(try ReaderDaemon.freePort())")
            .write(toFile: free, atomically: true, encoding: .utf8)
        for (file, socket, words) in [
            (free, listener, "socket: \(listener): another program listens there"),
            (file, listener + "2", "http: 127.0.0.1:\(other.port): another program listens there"),
            (
                free, other.folder.path + "/none/s",
                "socket: \(other.folder.path)/none/s: No such file or directory"
            ),
            (free, file, "socket: \(file): the path exists and is not a socket"),
        ] {
            let lines = try await reasons(["--config", file], environment: ["COUNTERSIGND_SOCKET": socket])
            #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("error: \(words)") }, "\(lines)")
        }
        #expect(try await other.asApp.call("GET", "/v1/lanes").status == 200)
    }
}
