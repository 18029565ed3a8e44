import Foundation
import HTTPServing
import Logging
import MdocModel
import OpenSSLCrypto
import ReaderStore
import RecordBench
import Testing

@testable import Fleet
@testable import FleetHub

/// A hub over HTTPS on this computer, with the database of the bench and without a broker.
struct RunningHub {
    /// What a hub makes reader tokens with, from its folder and its database; nil where it makes none.
    typealias Tokens = (_ folder: String, _ database: HubDatabase) throws -> HubTokens?

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let operatorToken = "operator"
    private static let operatorDigest = Digest(.sha256, of: Array(operatorToken.utf8)[...]).bytes
    static let now: @Sendable () -> Timestamp = {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }

    let database: HubDatabase
    /// Connections for the test's own statements.
    let pool: PostgreSQLPool
    let folder: String
    let port: Int
    let routes: HubRoutes
    var now: @Sendable () -> Timestamp { Self.now }

    static func run(
        tokens: Tokens = { _, _ in nil }, audit: Logger = log, writeTimeout: Duration = .seconds(60),
        places: Int = 64, strangerLifetime: Duration = .seconds(10), idle: Duration = .seconds(30),
        _ body: (RunningHub) async throws -> Void
    ) async throws {
        let bench = try await HubBench()
        let folder = FileManager.default.temporaryDirectory.appending(path: "countersign-hub-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try HubAuthority.create(in: folder, for: bench.database.chain, at: now())
        try HubAuthority.certifyServer(
            try #require(FleetName("hub")), dns: ["localhost"], addresses: [], in: folder, at: now())
        try await run(
            bench, folder, tokens(folder, bench.database), audit, writeTimeout, places,
            strangerLifetime, idle, body)
    }

    /// Another hub of the same chain, with connections of its own to the database.
    func runAnother(tokens: Tokens, _ body: (RunningHub) async throws -> Void) async throws {
        let bench = try await HubBench()
        try await Self.run(
            bench, folder, tokens(folder, bench.database), Self.log, .seconds(60), 64, .seconds(10),
            .seconds(30), body)
    }

    private static func run(
        _ bench: HubBench, _ folder: String, _ tokens: HubTokens?, _ audit: Logger,
        _ writeTimeout: Duration, _ places: Int, _ strangerLifetime: Duration, _ idle: Duration,
        _ body: (RunningHub) async throws -> Void
    ) async throws {
        let database = bench.database
        let (certificate, key) = ("\(folder)/authority.pem", "\(folder)/authority-key.pem")
        let broker = HubBroker(
            FleetBrokerSettings(
                host: "localhost", port: 1, authority: certificate, certificate: "\(folder)/hub.pem",
                key: "\(folder)/hub-key.pem", user: "hub", password: "x", client: "hub"), database, log: log,
            now: now)
        let routes = HubRoutes(
            database, authority: try HubAuthority(certificate: certificate, key: key, days: 14),
            broker: broker,
            operators: OperatorRoutes(database, tokens: [operatorDigest]), tokens: tokens, audit: audit,
            now: now)
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let server = HubServer(
            host: "localhost", port: 0,
            tls: try ServerTLS(
                certificate: "\(folder)/hub.pem", key: "\(folder)/hub-key.pem", clientAuthority: certificate,
                clientCertificate: .optional), routes: routes, connections: places,
            strangerLifetime: strangerLifetime, idle: idle, writeTimeout: writeTimeout, log: audit,
            listening: { opened.yield($0 ?? 0) })
        let running = Task { try await server.run() }
        defer { running.cancel() }
        let port = try #require(await ports.first { _ in true })
        try await body(
            RunningHub(
                database: database, pool: bench.pool, folder: folder, port: port, routes: routes))
    }

    func enrolled(
        _ name: String = "till-\(UInt32.random(in: 0...UInt32.max))", site: String? = nil,
        group: String? = nil
    ) async throws -> EnrolledKiosk {
        let name = try #require(FleetName(name))
        let code = try #require(
            try await database.kiosks.invite(
                name, site: site.flatMap { FleetName($0) }, group: group.flatMap { FleetName($0) },
                at: now()))
        let file = "\(folder)/\(name)-code"
        try #require(
            FileManager.default.createFile(
                atPath: file, contents: Data(code.utf8), attributes: [.posixPermissions: 0o600]))
        let settings = settings(name, now: now)
        let kept = try FleetFolder(store: settings.store)
        try #require(try await KioskEnrolment(settings, in: kept, log: Self.log).renew())
        return EnrolledKiosk(
            name: name, settings: settings,
            client: try HubClient(settings.hubs, authority: settings.authority, as: kept))
    }

    func settings(_ name: FleetName, now: @escaping @Sendable () -> Timestamp) -> KioskSettings {
        KioskSettings(
            FleetMembership(chain: database.chain, site: nil, group: nil, kiosk: name),
            hubs: ["https://localhost:\(port)"], authority: "\(folder)/authority.pem", keys: [],
            codeFile: "\(folder)/\(name)-code", store: "\(folder)/\(name)", software: "test", now: now)
    }
}

final class EnrolledKiosk: Sendable {
    let name: FleetName
    let settings: KioskSettings
    let client: HubClient

    init(name: FleetName, settings: KioskSettings, client: HubClient) {
        self.name = name
        self.settings = settings
        self.client = client
    }

    deinit { Task { [client] in await client.end() } }

    /// Appends a receipt in the kiosk's store.
    func appendReceipt() throws {
        _ = try ReaderStore(at: settings.store, for: .changing).append(.sample())
    }

    /// Does something while the kiosk's agent runs.
    func running(_ body: () async throws -> Void) async throws {
        let folder = try FleetFolder(store: settings.store)
        let actions = FleetActions(
            file: { Array("{}".utf8) }, check: { _ in nil }, apply: { _ in .ready }, setStopped: { _ in })
        let agent = FleetAgent(
            settings, in: folder, from: try folder.load(settings.membership, []), by: actions,
            log: RunningHub.log)
        let running = Task { await agent.run() }
        defer { running.cancel() }
        try await body()
    }

    func refusal(_ body: (HubClient) async throws -> [UInt8]) async -> String {
        await FleetHubTests.refusal(client, body)
    }
}

/// Status and id of a refusal; what else came otherwise.
func refusal(_ client: HubClient, _ body: (HubClient) async throws -> [UInt8]) async -> String {
    do {
        return "\(try await body(client).count) bytes"
    } catch HubError.refused(let status, let id, _) {
        return "\(status) \(id)"
    } catch {
        return "\(error)"
    }
}
