import Foundation
import GRDB
import Glibc
import OnlineStage
import OtherPrograms
import Testing

/// How libpq connects to the database of `with-postgresql`.
private let database = ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL"]

@Suite("The daemon as a shop's server")
struct OnlineDaemonTests {
    @Test(arguments: ["memory", "sqlite"])
    func `An answer is verified once, and a reload changes nothing of that`(_ store: String) async throws {
        let daemon = try await OnlineDaemon(.init(), nonces: #"{"store": "\#(store)"}"#)
        let body = try daemon.presentation(of: await daemon.ask())
        #expect(try await daemon.present(body) == "verified")
        // The file of the key is gone by now: keys that cannot be read do not take the place of those that can.
        daemon.reader.daemon.signal(SIGHUP)
        try await daemon.reader.daemon.said(
            "the new keys of \"online\" cannot be used: the previous keys stay in force")
        #expect(try await daemon.present(body) == "nonce.reused")
        #expect(
            try await daemon.present(daemon.presentation(of: daemon.ask())) == "verified")
    }

    @Test
    func `Who holds the store keeps waiting who needs its trust, and nobody else`() async throws {
        let daemon = try await OnlineDaemon(.init(), nonces: #"{"store": "memory"}"#)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let holder = try DatabaseQueue(
            path: daemon.reader.folder.path + "/store/countersign.sqlite", configuration: configuration)
        try await holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
        async let asked = daemon.ask()
        // Nothing shows that the request waits for the store by now.
        try await Task.sleep(for: .milliseconds(200))
        // One of these would wait with it, and it would then have waited too long.
        for _ in 0..<max(16, 2 * ProcessInfo.processInfo.activeProcessorCount) {
            #expect(try await daemon.http.call("GET", "/healthz").status == 200)
        }
        try await holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        let nonce = try await asked
        #expect(try await daemon.present(daemon.presentation(of: nonce)) == "verified")
    }

    @Test(.enabled(if: SoftwareTPM.isThere, "\(SoftwareTPM.missing)"))
    func `A key in the TPM opens answers, and those of another TPM are of no use`() async throws {
        let (tpm, other) = (try SoftwareTPM(), try SoftwareTPM())
        let environment = ["TPM2OPENSSL_TCTI": tpm.address]
        let shop = try await OnlineShop(inTPM: environment)
        let daemon = try await OnlineDaemon(
            shop, nonces: #"{"store": "memory"}"#, environment: environment)
        let body = try daemon.presentation(of: await daemon.ask())
        #expect(try await daemon.present(body) == "verified")
        let refused = await #expect(throws: BuiltProgram.Overdue.self) {
            try await OnlineDaemon(
                shop, nonces: #"{"store": "memory"}"#, environment: ["TPM2OPENSSL_TCTI": other.address])
        }
        #expect(refused?.description.contains("another TPM,") == true, "\(String(describing: refused))")
        withExtendedLifetime((tpm, other)) {}
    }

    @Test
    func `Answers are those that the OpenAPI document promises`() async throws {
        let daemon = try await OnlineDaemon(.init(), nonces: #"{"store": "memory"}"#)
        let check = try await SchemaCheck(daemon.reader)
        let body = try daemon.presentation(of: await daemon.ask())
        let page = #""session": "s", "origin": "\#(OnlineDaemon.origin)""#
        for (path, body, status) in [
            ("/v1/wallet/requests", OnlineDaemon.order, 201), ("/v1/wallet/requests", "{}", 400),
            ("/v1/wallet/presentations", body, 200), ("/v1/wallet/presentations", body, 403),
            ("/v1/web/requests", #"{\#(page), "intent": "age over 21; else nothing"}"#, 201),
            ("/v1/web/requests", #"{\#(page), "intent": "everything"}"#, 400),
            ("/v1/web/presentations", #"{\#(page), "encryptionInfo": "AA", "response": "AA"}"#, 422),
        ] {
            let reply = try await daemon.http.call("POST", path, body)
            #expect(reply.status == status, "\(reply.text)")
            #expect(check.faults(of: reply, to: "POST", path).isEmpty, "\(reply.text)")
        }
    }

    @Test(
        arguments: [
            (#"{}"#, "must have merchants or web"), (#"{"merchants": [{}]}"#, "\"name\" is missing"),
            (#"{"web": {"origins": ["http://shop.example"], "keys": ["/k"]}}"#, "an origin must be"),
            (
                #"{"web": {"origins": ["https://shop.example"], "keys": []}}"#,
                "must contain at least one file"
            ),
            (
                #"{"web": {"origins": ["https://shop.example"], "keys": ["k"]}}"#,
                "must be a path that begins with /"
            ),
            (
                #"{"web": {"origins": ["https://a.example"], "keys": ["/k"]}, "nonces": {"store": "postgresql"}}"#,
                "\"connection\" is missing"
            ),
            (
                #"{"web": {"origins": ["https://a.example"], "keys": ["/k"]}, "nonces": {"connection": "/c"}}"#,
                "is allowed only with"
            ),
        ])
    func `A section that cannot be meant is a fault`(_ online: String, _ words: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "countersignd-\(UUID()).json")
        try Data(#"{"online": \#(online)}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let run = try BuiltProgram("countersignd", ["--config", file.path, "--check"])
        #expect(try await run.ended() == 64 && run.errors.contains(words), "\(run.errors)")
    }

    @Test
    func `A key that others may read is not used`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = folder.appending(path: "key.pem").path
        #expect(
            FileManager.default.createFile(
                atPath: key, contents: Data(), attributes: [.posixPermissions: 0o640]))
        let file = folder.appending(path: "countersignd.json")
        let online = #"{"web": {"origins": ["https://a.example"], "keys": ["\#(key)"]}}"#
        try Data(#"{"store": "\#(folder.path)/store", "online": \#(online)}"#.utf8).write(to: file)
        let run = try BuiltProgram("countersignd", ["--config", file.path])
        #expect(try await run.ended() != 0 && run.errors.contains("key.pem"), "\(run.errors)")
    }
}

@Suite(
    "Two daemons on one PostgreSQL",
    .enabled(if: database != nil, "no database: run Hardware/VirtualBench/with-postgresql swift test …"),
    .serialized)
struct OnlinePostgreSQLTests {
    private static func daemons() async throws -> (OnlineDaemon, OnlineDaemon) {
        let shop = try OnlineShop()
        let nonces = #"{"store": "postgresql", "connection": "CONNECTION"}"#
        return (
            try await OnlineDaemon(shop, nonces: nonces, connection: database),
            try await OnlineDaemon(shop, nonces: nonces, connection: database)
        )
    }

    @Test
    func `What one issued the other spends, and a replay to the first is refused`() async throws {
        let (one, other) = try await Self.daemons()
        let body = try one.presentation(of: await one.ask())
        #expect(try await other.present(body) == "verified")
        #expect(try await one.present(body) == "nonce.reused")
        #expect(try await other.present(body) == "nonce.reused")
    }

    @Test
    func `They share a load without losing or doubling a nonce`() async throws {
        let (one, other) = try await Self.daemons()
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<60 {
                group.addTask {
                    try one.presentation(of: await (index.isMultiple(of: 2) ? one : other).ask())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Each comes to both at the same time.
        let verdicts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for (index, body) in bodies.enumerated() {
                group.addTask { (index, try await one.present(body)) }
                group.addTask { (index, try await other.present(body)) }
            }
            return try await group.reduce(into: [Int: [String]]()) { $0[$1.0, default: []].append($1.1) }
        }
        #expect(verdicts.count == bodies.count)
        #expect(verdicts.values.allSatisfy { $0.sorted() == ["nonce.reused", "verified"] }, "\(verdicts)")
    }

    @Test
    func `While the database is gone all is refused by name, and afterwards it goes on`() async throws {
        let (one, _) = try await Self.daemons()
        let body = try one.presentation(of: await one.ask())
        try Self.control("stop")
        #expect(try await one.present(body) == "noncesUnavailable")
        #expect(
            try await one.http.call("POST", "/v1/wallet/requests", OnlineDaemon.order).problem
                == "noncesUnavailable")
        try Self.control("start")
        #expect(try await one.present(body) == "verified")
    }

    private static func control(_ word: String) throws {
        let control = try #require(
            ProcessInfo.processInfo.environment["COUNTERSIGN_POSTGRESQL_CONTROL"])
        let process = try Process.run(URL(filePath: control), arguments: [word])
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(word)")
    }
}
